// The interface of formats, and the registry of all of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/sources/source_reader.h"
#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/migrate/export.h"

namespace turnlog {

class FolderIndexes;
struct RecordFile;
class UsageReader;
struct LinesStart;
struct Source;

// How certain it is that something is of a format.
enum class Match : std::uint8_t {
  kNo,
  kByName,     // sufficient if the user has chosen the format
  kByContent,  // sufficient in any case
};

struct FileProbe {
  std::string_view name;
  // Its first bytes; empty if only the name is to be matched. Those of a SQLite database are followed by the first
  // bytes of its write-ahead log, which may have all that is in it, and if its texts are in UTF-16, by the same without
  // zeros.
  std::string_view head;
  // Whether there is a folder of this name, relative to that of the file. None: unknown.
  std::function<bool(std::string_view folder)> has_folder{};
};

inline constexpr std::size_t kProbeBytes = std::size_t{64} << 10;
// As much of a file of which these say nothing: instructions, tools, an image or records beside the conversation may be
// before what does.
inline constexpr std::size_t kMoreProbeBytes = std::size_t{8} << 20;

struct FolderProbe {
  std::string_view name;
  std::string_view folder;                                 // name of the folder around it
  std::span<const std::string> names;                      // of the files in it, in order
  std::function<std::string(std::string_view name)> head;  // the first bytes of one of them
};

// A matching file and what is around it, by paths relative to its folder. What is not there has no files and no text.
struct Surroundings {
  std::string_view name;
  std::function<std::string()> head;                                        // its first bytes
  std::function<std::vector<std::string>(const std::string& folder)> list;  // the regular files, in order
  std::function<std::string(const std::string& file)> read;
  // The names of the JSON files in a folder by what a text field of theirs says. The result lives until the next call.
  std::function<const std::map<std::string, std::vector<std::string>, std::less<>>&(const std::string& folder,
                                                                                    std::string_view field)>
      by_field;
};

// What the contents of a source say of whether another one with the same records had them first.
struct SourceAge {
  bool names_another = false;             // its first record is of another conversation
  std::optional<Timestamp> begins, ends;  // the times of its first message and its last record
};

// Where a tool may begin a history again under the same name: the log then has the union of both. Elsewhere, a history
// that has no record in common with that of the log is another one of the same name, and is refused.
enum class Restarts : std::uint8_t { kAnywhere, kInSameFile, kNever };

// What a source may begin with, although its own conversation is another one.
struct RepeatedHistory {
  ConversationId conversation;  // whose records it may repeat
  std::string first;            // the id of the first record of the source
};

// Reading. A format matches files or folders, each of which is one source.
struct ImportFormat {
  // To be increased when sources become other events than before: what earlier revisions remember is not trusted.
  std::uint32_t revision = 1;
  Match (*match_file)(const FileProbe& probe) = nullptr;
  Match (*match_folder)(const FolderProbe& probe) = nullptr;
  // Texts of which each matching file has some, also if one of its bytes is damaged or it is of a newer version. None:
  // what has nothing of the format is found when it is read.
  std::span<const std::string_view> signs{};
  // Which files of a matching or companion folder belong to it. None: all of them.
  bool (*uses_file)(std::string_view name) = nullptr;
  // The name of hidden folders to search for sources.
  std::string_view hidden_folder{};
  // REQUIRES: the source outlives the reader.
  std::unique_ptr<SourceReader> (*read)(Source& source) = nullptr;
  // The same with threads of its own, which parse while earlier items are at work. Null: one reads ahead with `read`.
  std::unique_ptr<SourceReader> (*read_with_threads)(Source& source, unsigned threads) = nullptr;
  // What a RecordSource reads of the source: files that only grow are then read from where they ended, and of a
  // database only what has changed. None: the source cannot be read in parts.
  std::vector<RecordFile> (*record_files)(Source& source) = nullptr;
  // Reads further lines of a file that has grown, which may have many conversations.
  std::unique_ptr<SourceReader> (*read_on)(Source& source, const LinesStart& start) = nullptr;
  // The conversations of the source, if its names determine them: a copy of what was imported is not parsed.
  std::vector<ConversationId> (*conversations_of)(const Source& source) = nullptr;
  // What no source of another conversation begins with, unless it is a copy that its tool has made without saying so.
  std::optional<std::string> (*beginning_of)(Source& source) = nullptr;
  // Of a source whose records name the conversation that it belongs to.
  std::optional<RepeatedHistory> (*may_repeat)(Source& source) = nullptr;
  // The conversation that the source says it begins with a copy of.
  std::optional<std::string> (*origin_of)(Source& source) = nullptr;
  // Of a source that has a beginning or conversations in common with others.
  SourceAge (*age_of)(Source& source) = nullptr;
  // Whether the source is a document that is one record without an id: its tool writes it anew as it goes on, and what
  // is new in it may be anywhere. Null: none is.
  bool (*is_one_record)(const Source& source) = nullptr;
  // Whether the source is a document that no longer says what was asked when that has been answered: its record_files
  // are told what the log has. Null: none does.
  bool (*forgets_questions)(const Source& source) = nullptr;
  // If sources may shrink.
  Restarts restarts = Restarts::kAnywhere;
  // Whether the ids of records are numbers of rows, of which `logctl doctor` makes higher ones where it puts a row.
  bool numbers_records = false;
  // Whether its tool writes a record without an id again after others: their order changes then.
  bool moves_records = false;
  // Whether all files in the folder of this name belong to sources in the folders beside it: it is not searched.
  bool (*is_companion)(std::string_view folder, std::span<const std::string> beside) = nullptr;
  // What those in this folder have that belongs to no source, by paths relative to it. Null: all belongs to one.
  std::vector<std::string> (*find_unowned)(const std::filesystem::path& folder, FolderIndexes& indexes) = nullptr;
  // The other files of the source of a matching file, in order.
  std::vector<std::string> (*companion_files)(const Surroundings& around) = nullptr;
  // The folder beside a matching file that belongs to the same source with all that is in it; empty: none.
  std::string (*companion_folder)(std::string_view file_name) = nullptr;
  // Whether its tool rewrites files: sources may lack what was imported before, and nothing is removed then.
  bool may_shrink = false;
  // Whether what is not complete at its end waits, although earlier revisions have imported it.
  bool may_wait = false;
  // Whether two names mean the same part in different layouts. Null: no two do.
  bool (*same_part)(std::string_view one, std::string_view other) = nullptr;
  // Whether `event` may be what its tool makes of `stored`, an event of the log, when it saves the source again:
  // nothing of it has changed then. Null: its tool keeps all that it has.
  bool (*is_saved_again)(const EventView& stored, const EventView& event) = nullptr;
  // Whether the first event of a record has the template of its bytes (records/record_template.h).
  bool has_templates = true;
  // What counts of a record that is kept as it is, when it is compared with that of an earlier import: another layout
  // of the format may have other names around it. Null: all of it.
  std::string (*meaning_of_record)(std::string_view record) = nullptr;
  // Whether an `import` event precedes the imported events. Not for turnlog's own format, whose seqs must be
  // kept.
  bool records = true;
};

struct Format {
  std::string_view name;
  std::string_view description;  // one line
  ImportFormat import{};
  // What its records say of the tokens that they have cost; null: nothing.
  std::unique_ptr<UsageReader> (*usage)() = nullptr;
  // Writing: each exports one conversation, and reports what it leaves out.
  Status (*export_to_stream)(Log& log, const ConversationId& conversation, const ExportSink& sink,
                             const ExportOptions& options, ExportReport& report) = nullptr;
  Status (*export_to_folder)(Log& log, const ConversationId& conversation, const std::filesystem::path& to,
                             const ExportOptions& options, ExportReport& report) = nullptr;
  // Whether it exports other layouts than the imported one.
  bool has_layouts = false;
};

// Every format, in the order of the help.
std::span<const Format* const> AllFormats();
// Null if there is no format of this name.
const Format* FindFormat(std::string_view name);
// The format with this name that an import reads; null for "auto". kInvalidArgument: there is none.
Result<const Format*> FindImportFormat(std::string_view name);

}  // namespace turnlog
