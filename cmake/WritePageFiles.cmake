# cmake -D OUTPUT=page_files.cc -D FILES=a;b -P: the files as string literals, for service/page_files.h.
set(text "#include \"service/page_files.h\"\n\nnamespace turnlog {\nnamespace {\n\nconstexpr PageFile kFiles[] = {\n")
foreach(file IN LISTS FILES)
  file(READ "${file}" content)
  get_filename_component(name "${file}" NAME)
  string(APPEND text "    {\"${name}\", R\"turnlog(${content})turnlog\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const PageFile> PageFiles() { return kFiles; }\n\n}  // namespace turnlog\n")
file(WRITE "${OUTPUT}" "${text}")
