// Writes a dialogue as the body of a request to one provider, a message a line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/requests/call_names.h"
#include "migrate/requests/dialogue.h"
#include "schema/json/json_writer.h"
#include "turnlog/providers/lint.h"

namespace turnlog {

// One for each provider. Each step becomes the same text whatever follows it.
class StepWriter {
 public:
  virtual ~StepWriter() = default;

  // Up to the bracket of the list.
  virtual std::string Begin(std::string_view model) const = 0;
  // From the bracket of the list. The tools come after it, so that one that is used for the first time changes nothing
  // before.
  std::string End(const std::vector<std::string>& tools) const;
  virtual void Request(std::string_view text) = 0;
  // REQUIRES: there are parts; those of calls have their final ids and names.
  virtual void Model(const DialogueStep& step) = 0;
  virtual void Results(const DialogueStep& step) = 0;
  // Which sealed value this provider can open, if it is of the model.
  virtual bool Opens(const ModelPart& part, std::string_view model) const = 0;

  // What was written since the last call.
  std::string Take() { return std::exchange(out_, {}); }

 protected:
  // The definition of a tool of which only the name is known.
  virtual void Tool(std::string_view name, JsonWriter& json) const = 0;
  // The value of `tools`: an array of the definitions, unless the API wraps them.
  virtual void Tools(const std::vector<std::string>& names, JsonWriter& json) const;

  // The field `model` and a comma; nothing if no model is named.
  static std::string ModelField(std::string_view model);

  // Calls `visit` with each call of the step and its result.
  template <class Visit>
  static void ForEachResult(const DialogueStep& step, Visit&& visit) {
    auto result = step.results.begin();
    for (const ModelPart& part : step.parts) {
      if (part.kind == ModelPart::Kind::kCall) visit(part, *result++);
    }
  }

  // A message: `write` gets the writer in an open object.
  template <class Write>
  void Message(Write&& write) {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    JsonWriter json(out_);
    json.StartObject();
    write(json);
    json.EndObject();
  }

 private:
  std::string out_;
  bool first_ = true;
};

std::unique_ptr<StepWriter> WriterFor(Provider provider);
std::unique_ptr<StepWriter> AnthropicWriter();
std::unique_ptr<StepWriter> ChatWriter();
std::unique_ptr<StepWriter> ResponsesWriter();
std::unique_ptr<StepWriter> GeminiWriter();

}  // namespace turnlog
