// The storage of opencode before version 1: a tree of small files, session/<project>/<session>.json,
// message/<session>/<message>.json and part/<message>/<part>.json.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/format.h"
#include "migrate/records/record_source.h"

namespace turnlog {

// Whether a document says of a session what a file in session/ does.
bool IsOpencodeSession(std::string_view head);

// Whether a file is a session's by the folders around it, whatever it says: it may be damaged.
bool HasOpencodeMessages(const FileProbe& probe);

// Whether a folder of this name beside these has what the sessions in one of those consist of.
bool IsOpencodeCompanion(std::string_view folder, std::span<const std::string> beside);

// Files and folders of messages whose session has no file, and of parts whose message has none, by their paths from the
// storage folder.
std::vector<std::string> FindUnownedOfOpencode(const std::filesystem::path& storage, FolderIndexes& indexes);

// The files of the messages and parts of a session, in order, each message before its parts; none for other documents.
// Reads only files whose names do not say what they have.
std::vector<std::string> OpencodeSessionFiles(const Surroundings& around);

// Whether the source has a session's file, which may be damaged, and those.
bool IsOpencodeStorage(Source& source);

// REQUIRES: IsOpencodeStorage.
std::vector<RecordFile> OpencodeStorage(Source& source);

// What precedes each file in what is exported: this, its name, and a line break. No JSON text contains it.
inline constexpr char kFileMark = '\x1c';

}  // namespace turnlog
