// The readers that an import puts one after another, of what it has to read of its source.
#include <memory>
#include <utility>
#include <vector>

#include "migrate/import/grown_document.h"
#include "migrate/import/read_ahead.h"
#include "migrate/import/secret_answers.h"
#include "migrate/import/source_import.h"
#include "migrate/records/record_source.h"

namespace turnlog {

std::unique_ptr<SourceReader> SourceImport::Open() {
  if (lines_) {
    const FileState& file = lines_->state.file;
    const LinesStart start{file.offset, file.line, &*logged_lines_, file.reader.has_value()};
    return WithoutSecretAnswers(format_.import.read_on(source_, start));
  }
  if (!rest_ && !copied_ && !DependsOnLog()) {
    if (run_.readers > 0 && format_.import.read_with_threads != nullptr) {
      return WithoutSecretAnswers(format_.import.read_with_threads(source_, run_.readers));
    }
    auto reader = WithoutSecretAnswers(format_.import.read(source_));
    if (run_.readers == 0) return reader;
    return std::make_unique<ReadAhead>(std::move(reader));
  }
  std::vector<RecordFile> files = rest_ ? rest_->Take(format_, source_) : format_.import.record_files(source_);
  if (copied_ && !rest_) copied_->Mark(files.front());
  auto records = std::make_unique<RecordSource>(format_.name, std::move(files), &history_.logged());
  auto reader = WithoutSecretAnswers(std::move(records));
  if (run_.readers == 0 || rest_ || copied_) return reader;
  return std::make_unique<ReadAhead>(std::move(reader));
}

std::unique_ptr<SourceReader> SourceImport::WithoutSecretAnswers(std::unique_ptr<SourceReader> reader) {
  if (surveyed_ && !asks_for_secrets_) return reader;
  return std::make_unique<SecretAnswerFilter>(std::move(reader), asks_for_secrets_);
}

// One of several files may have been imported before that which it repeats.
bool SourceImport::DependsOnLog() const {
  const ImportFormat& format = format_.import;
  const bool has_several = format.companion_folder != nullptr && source_.files.size() > 1;
  return has_several || (format.forgets_questions != nullptr && format.forgets_questions(source_));
}

// What was surveyed.
std::unique_ptr<SourceReader> SourceImport::Again(bool kept) {
  auto reader = kept ? kept_->Replay() : Open();
  if (secrets_) reader = WithoutSecrets(std::move(reader), *secrets_);
  return kept ? std::move(reader) : Grown(std::move(reader));
}

// What the log has of a document comes first.
std::unique_ptr<SourceReader> SourceImport::Grown(std::unique_ptr<SourceReader> reader) {
  if (format_.import.is_one_record == nullptr || !format_.import.is_one_record(source_)) return reader;
  return std::make_unique<GrownDocument>(std::move(reader), run_.log(), format_, secrets_ ? &*secrets_ : nullptr);
}

}  // namespace turnlog
