// What turnlog knows of an outside format, and the one place where all of them stand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "migrate/import/source_reader.h"
#include "turnlog/log.h"
#include "turnlog/migrate/export.h"

namespace turnlog {

struct Source;

// How sure it is that something is of a format.
enum class Match : std::uint8_t {
  kNo,
  kByName,     // enough where the user has said which format it is
  kByContent,  // enough anywhere
};

struct FileProbe {
  std::string_view name;
  std::string_view head;  // its first bytes; empty where only the name is asked about
};

inline constexpr std::size_t kProbeBytes = std::size_t{64} << 10;

struct FolderProbe {
  std::string_view name;
  std::string_view folder;                                 // name of the folder around it
  std::span<const std::string> names;                      // of the files in it, in order
  std::function<std::string(std::string_view name)> head;  // the first bytes of one of them
};

// Reading. A format matches files, each of which is a source by itself, or folders, of which the same is true.
struct ImportFormat {
  Match (*match_file)(const FileProbe& probe) = nullptr;
  Match (*match_folder)(const FolderProbe& probe) = nullptr;
  // Which files of a matching folder belong to it. None: all of them.
  bool (*uses_file)(std::string_view name) = nullptr;
  // The name of folders that are looked into although it begins with a dot.
  std::string_view hidden_folder{};
  // The source outlives the reader.
  std::unique_ptr<SourceReader> (*read)(Source& source) = nullptr;
  // The only conversation that the source can hold, if its name tells: an unchanged source is then not even parsed.
  std::optional<ConversationId> (*conversation_of)(const Source& source) = nullptr;
  // Whether two names of parts stand for the same thing in different layouts. None: no two do.
  bool (*same_part)(std::string_view one, std::string_view other) = nullptr;
  // Whether an `import` event stands in front of what was imported. Not for turnlog's own form, whose seqs must be
  // kept.
  bool records = true;
};

struct Format {
  std::string_view name;
  std::string_view description;  // one line
  ImportFormat import{};
  // Writing: one of these, or none if there is no exporter. Each exports one conversation, and adds what it must leave
  // out to the report.
  Status (*export_to_stream)(Log& log, const ConversationId& conversation, const ExportSink& sink,
                             const ExportOptions& options, ExportReport& report) = nullptr;
  Status (*export_to_folder)(Log& log, const ConversationId& conversation, const std::filesystem::path& to,
                             const ExportOptions& options, ExportReport& report) = nullptr;
};

// Every format, in the order of the help.
std::span<const Format* const> AllFormats();
// Nothing if there is none of this name.
const Format* FindFormat(std::string_view name);

}  // namespace turnlog
