# cmake -D OUTPUT=out.cc -D FILE=file -D HEADER=header -D FUNCTION=Name -P: the file's bytes as a std::string_view that
# the function returns.
file(READ "${FILE}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n\nnamespace turnlog {\nnamespace {\n\nalignas(64) constexpr unsigned char kBytes[] = {\n${hex}};\n
}  // namespace\n\nstd::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kBytes), sizeof kBytes}; }\n\n}  // namespace turnlog\n")
