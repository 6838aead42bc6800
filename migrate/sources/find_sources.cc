#include "migrate/sources/find_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/try.h"
#include "migrate/sources/folder_entries.h"
#include "migrate/sources/folder_indexes.h"
#include "migrate/sources/skipped_entries.h"
#include "migrate/sources/source_owners.h"
#include "migrate/sources/wrong_format.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// For FileProbe.
Result<std::string> ReadHead(SourceFile& file, std::size_t bytes = kProbeBytes) {
  std::string head = TURNLOG_TRY(file.Head(bytes));
  if (!head.starts_with(kSqliteMagic)) return head;
  SourceFile log(file.path().string() + "-wal", false);
  head += log.Head(kProbeBytes).value_or(std::string());
  if (!IsDatabaseInUtf16(head)) return head;
  // So that the names in it are found.
  std::string ascii = head;
  std::erase(ascii, '\0');
  return head + ascii;
}

bool IsJsonl(std::string_view name) { return name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"); }

// What a tool offers its user to type again.
bool IsPromptHistory(std::string_view name) { return name == "history.jsonl" || name == "prompt-history.jsonl"; }

// Databases have no names of their own: their contents say what they are.
bool HasNameOfDatabase(std::string_view name) {
  return name.ends_with(".db") || name.ends_with(".sqlite") || name.ends_with(".sqlite3");
}

// Whether a compressed file has been decompressed beside it. `files`: in order.
bool HasPlainTwin(std::string_view name, const std::vector<std::string>& files) {
  constexpr std::string_view kCompressed = ".zst";
  if (!name.ends_with(kCompressed)) return false;
  return std::ranges::binary_search(files, name.substr(0, name.size() - kCompressed.size()));
}

class Finder {
 public:
  Finder(const Format* asked, const FindSourcesOptions& options)
      : formats_(asked == nullptr ? AllFormats() : std::span(&asked_, 1)), asked_(asked), options_(options) {}
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  void Find(const fs::path& path) {
    others_.clear();
    possible_.clear();
    const std::size_t before = found_.sources.size();
    const std::size_t problems = found_.report.problems.size();
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      ++found_.report.failed;
      return Problem(path, {ImportProblemCode::kNotFound, "no such file or folder"});
    }
    if (!fs::is_directory(status)) return FindFile(path);
    Walk(path);
    if (options_.more_folders)
      std::ranges::for_each(options_.more_folders(path), [&](const fs::path& folder) { Walk(folder); });
    if (found_.sources.size() == before && found_.report.problems.size() == problems) {
      NotOfFormat(path, "contains nothing of " + Sought() + OthersIn() +
                            ChoiceFrom({possible_.begin(), possible_.end()}) + HiddenIn(path));
    }
  }

  FoundSources Take() { return std::move(found_); }

 private:
  void Problem(const fs::path& path, ImportReason reason) {
    found_.report.problems.push_back(At({path.native()}, std::move(reason)));
  }

  const Format* Unreadable(const fs::path& path, const Error& error) {
    ++found_.report.failed;
    Problem(path, WhyUnreadable(error));
    return nullptr;
  }

  const Format* NotOfFormat(const fs::path& path, std::string reason) {
    Problem(path, {ImportProblemCode::kUnknownFormat, std::move(reason)});
    return nullptr;
  }

  void Note(std::optional<ImportProblem> note) {
    if (note) found_.report.notes.push_back(*std::move(note));
  }

  std::string Sought() const {
    return asked_ == nullptr ? "a known format" : fmt::format("the format {}", asked_->name);
  }

  // That those were not searched: tools keep what they have in such folders.
  std::string HiddenIn(const fs::path& path) const {
    std::vector<std::string> names;
    for (const fs::path& folder : found_.hidden) {
      if (folder == path / folder.filename()) names.push_back(folder.filename());
    }
    return names.empty() ? "" : fmt::format("; hidden folders ({}) are searched if named as PATHs", SomeOf(names));
  }

  // What it has of other formats than the one asked for.
  std::string OthersIn() const {
    return others_.empty() ? "" : fmt::format(", but files of {}", fmt::join(others_, ", "));
  }

  bool Enough(Match match) const {
    return match == Match::kByContent || (asked_ != nullptr && match == Match::kByName);
  }

  std::string HeadOf(SourceFile& file) {
    std::string head = ReadHead(file).value_or(std::string());
    found_.report.bytes_read += head.size();
    return head;
  }

  const Format* FindKnown(const fs::path& path) const {
    const Format* const known = options_.find_known ? options_.find_known(path) : nullptr;
    return std::ranges::find(formats_, known) == formats_.end() ? nullptr : known;
  }

  // A file that the user has named, possibly with its format.
  void FindFile(const fs::path& path) {
    SourceFile file(path, true);
    const Format* format = FindKnown(path);
    if (format == nullptr) format = FormatOfNamed(path, file);
    if (format != nullptr) found_.sources.push_back({format, path, false, std::move(file), indexes_});
  }

  // Null: it is said why there is none.
  const Format* FormatOfNamed(const fs::path& path, SourceFile& file) {
    if (asked_ != nullptr && asked_->import.match_file == nullptr) {
      const std::string of_other = fmt::format("not a folder: {} has {}", asked_->name, asked_->description);
      return NotOfFormat(path, AsPart(path).value_or(of_other));
    }
    const auto head = ReadHead(file);
    if (!head) return Unreadable(path, head.error());
    // The name of a pipe says nothing: then its lines decide alone.
    const std::string name = path.has_extension() ? file.name() : file.name() + ".jsonl";
    const FileProbe probe{name, *head};
    if (asked_ != nullptr) {
      const auto wrong = FindWrong(probe, file);
      return wrong ? NotOfFormat(path, wrong->Reason(*asked_)) : asked_;
    }
    const Format* format = MatchFile({file.name(), *head}, file);
    if (format == nullptr && !path.has_extension()) format = MatchFile(probe, file);
    if (format != nullptr) return format;
    found_.report.bytes_read += head->size();
    if (!file.damage().empty()) return Unreadable(path, {ErrorCode::kCorruption, file.damage()});
    return NotOfFormat(path, AsPart(path).value_or(WhyUnknown(probe)));
  }

  // What to import instead of a file in a folder that is one source.
  std::optional<std::string> AsPart(const fs::path& path) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const auto names = ListEntries(folder);
    const Format* const format = names ? MatchFolder(folder, names->files) : nullptr;
    if (format == nullptr || std::ranges::find(names->files, path.filename().string()) == names->files.end())
      return std::nullopt;
    return fmt::format("a part of a conversation of {}: import its folder, {}", format->name, folder.string());
  }

  // Whether it has nothing of the format asked for.
  std::optional<WrongFormat> FindWrong(FileProbe probe, SourceFile& file) {
    std::string head;
    const bool may_go_on = probe.head.size() == kProbeBytes && !probe.head.starts_with(kSqliteMagic);
    if (may_go_on && asked_->import.match_file(probe) != Match::kByContent) {
      probe.head = head = ReadHead(file, kMoreProbeBytes).value_or(std::string());
      found_.report.bytes_read += head.size();
    }
    return FindWrongFormat(*asked_, probe);
  }

  const Format* MatchFile(FileProbe probe, SourceFile& file) {
    const Format* const format = Recognise(probe);
    const bool is_text = probe.name.ends_with(".json") || IsJsonl(probe.name);
    if (format != nullptr || !is_text || probe.head.size() < kProbeBytes) return format;
    const std::string head = ReadHead(file, kMoreProbeBytes).value_or(std::string());
    found_.report.bytes_read += head.size();
    probe.head = head;
    return Recognise(probe);
  }

  const Format* Recognise(const FileProbe& probe) const {
    const auto match = [&](const Format* format) {
      return format->import.match_file != nullptr && Enough(format->import.match_file(probe));
    };
    const auto found = std::ranges::find_if(formats_, match);
    return found == formats_.end() ? nullptr : *found;
  }

  // Null: it is no source. `unknown`: gets the name of what may be one.
  const Format* FormatOf(const fs::path& folder, const std::string& name, std::vector<std::string>& unknown) {
    if (const Format* const known = FindKnown(folder / name)) return known;
    SourceFile file(folder / name, false);
    const auto head = ReadHead(file);
    if (!head) return NoteUnreadable(folder / name, head.error()), nullptr;
    found_.report.bytes_read += head->size();
    const auto has_folder = [&](std::string_view other) {
      return TypeOf((folder / other).lexically_normal()) == fs::file_type::directory;
    };
    const FileProbe probe{name, *head, has_folder};
    const Format* const format = MatchFile(probe, file);
    if (const auto wrong = format != nullptr && format == asked_ ? FindWrong(probe, file) : std::nullopt) {
      if (wrong->other != nullptr) others_.insert(wrong->other->name);
      unknown.push_back(name);
      return nullptr;
    }
    if (format != nullptr) return format;
    if (asked_ == nullptr) {
      for (const std::string_view possible : PossibleFormats(probe)) possible_.insert(possible);
    }
    const bool may_be_session = IsJsonl(name) && !IsPromptHistory(name) && !head->empty();
    if (!file.damage().empty()) {
      NoteUnreadable(folder / name, {ErrorCode::kCorruption, file.damage()});
    } else if (may_be_session) {
      unknown.push_back(name);
    }
    return nullptr;
  }

  void Walk(const fs::path& folder) {
    const auto names = ListEntries(folder);
    if (!names) return void(Unreadable(folder, names.error()));
    if (const Format* format = MatchFolder(folder, names->files)) {
      return found_.sources.push_back({format, folder, true, {}, indexes_});
    }
    std::set<std::string> companions;
    std::vector<std::string> unknown;
    for (const std::string& name : names->files) {
      if (HasPlainTwin(name, names->files)) continue;
      const Format* const format = FormatOf(folder, name, unknown);
      if (format == nullptr) continue;
      found_.sources.push_back({format, folder / name, false, {}, indexes_});
      companions.insert(CompanionOf(*format, name));
    }
    Note(SkippedFiles(folder, unknown, Sought()));
    NoteOthers(folder, names->others);
    NoteUnowned(folder, names->folders);
    for (const std::string& name : names->folders) {
      if (companions.contains(name)) continue;
      if (IsHidden(name)) {
        found_.hidden.push_back(folder / name);
      } else if (!IsCompanion(name, names->folders) &&
                 (!options_.enter_folder || options_.enter_folder(folder / name))) {
        Walk(folder / name);
      }
    }
  }

  const Format* MatchFolder(const fs::path& folder, const std::vector<std::string>& files) {
    if (const Format* known = FindKnown(folder)) return known;
    const std::string name = NameOf(folder);
    const std::string around = NameOf(folder / "..");
    const auto head = [&](std::string_view file_name) {
      SourceFile file(folder / file_name, false);
      return HeadOf(file);
    };
    const FolderProbe probe{name, around, files, head};
    const auto match = [&](const Format* format) {
      return format->import.match_folder != nullptr && Enough(format->import.match_folder(probe));
    };
    const auto found = std::ranges::find_if(formats_, match);
    return found == formats_.end() ? nullptr : *found;
  }

  // `head`: as far as its first bytes are known.
  bool MayBeSource(const std::string& name, std::string_view head) const {
    return std::ranges::any_of(formats_, [&](const Format* format) {
      return format->import.match_file != nullptr && format->import.match_file({name, head}) != Match::kNo;
    });
  }

  bool MayBeSource(const std::string& name) const {
    return MayBeSource(name, {}) || (HasNameOfDatabase(name) && MayBeSource(name, kSqliteMagic));
  }

  void NoteUnreadable(const fs::path& path, const Error& error) {
    const bool is_database = error.code == ErrorCode::kBusy;  // only those are locked
    if (!(is_database ? MayBeSource(path.filename(), kSqliteMagic) : MayBeSource(path.filename()))) return;
    Unreadable(path, error);
  }

  // Of what is searched only for what sources have in it.
  void NoteUnowned(const fs::path& folder, std::span<const std::string> folders) {
    for (const Format* format : formats_) {
      const ImportFormat& import = format->import;
      const auto is_companion = [&](const std::string& name) { return import.is_companion(name, folders); };
      if (import.find_unowned == nullptr || std::ranges::none_of(folders, is_companion)) continue;
      Note(SkippedUnowned(folder, import.find_unowned(folder, *indexes_), format->name));
    }
  }

  // Notes the entries that would have been imported if they were regular files, and folders that would be searched.
  void NoteOthers(const fs::path& folder, const std::vector<std::string>& names) {
    std::vector<std::string> linked;
    for (const std::string& name : names) {
      std::error_code error;
      const bool link = TypeOf(folder / name) == fs::file_type::symlink;
      const fs::file_type type = link ? fs::status(folder / name, error).type() : fs::file_type::unknown;
      if (type == fs::file_type::directory) {
        if (!IsHidden(name)) linked.push_back(name);
      } else if (MayBeSource(name)) {
        const bool dangling = type == fs::file_type::not_found;
        Note(Skipped(folder / name, dangling ? "a symbolic link to a file that is not there: skipped"
                                             : "not a regular file: skipped"));
      }
    }
    Note(SkippedLinks(folder, linked));
  }

  bool IsHidden(std::string_view folder) const {
    return folder.starts_with('.') &&
           std::ranges::none_of(formats_, [&](const Format* format) { return format->import.hidden_folder == folder; });
  }

  bool IsCompanion(std::string_view folder, std::span<const std::string> beside) const {
    return std::ranges::any_of(formats_, [&](const Format* format) {
      return format->import.is_companion != nullptr && format->import.is_companion(folder, beside);
    });
  }

  std::span<const Format* const> formats_;
  const Format* asked_;
  const FindSourcesOptions& options_;
  const std::shared_ptr<FolderIndexes> indexes_ = std::make_shared<FolderIndexes>();
  std::set<std::string_view> others_;    // formats of files that have nothing of the one asked for
  std::set<std::string_view> possible_;  // of files that are of none by their contents
  FoundSources found_;
};

}  // namespace

FoundSources FindSources(std::span<const fs::path> paths, const Format* format, const FindSourcesOptions& options) {
  Finder finder(format, options);
  std::set<fs::path> named;
  for (const fs::path& path : paths) {
    if (named.insert(NormalizedPath(path)).second) finder.Find(path);
  }
  FoundSources found = finder.Take();
  std::set<fs::path> seen;  // a file may be named beside its folder
  std::erase_if(found.sources,
                [&](const FoundSource& source) { return !seen.insert(NormalizedPath(source.path)).second; });
  for (FoundSource& source : found.sources) source.format_given = format != nullptr;
  return found;
}

}  // namespace turnlog
