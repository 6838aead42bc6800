// Writes a dialogue as the body of a request to one provider, a message a line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/requests/step_writer.h"
#include "schema/json/json_writer.h"
#include "turnlog/providers/lint.h"

namespace turnlog {

// One for each provider.
class RequestWriter : public StepWriter {
 public:
  // From the bracket of the list. The tools come after it, so that one that is used for the first time changes nothing
  // before.
  std::string End(const std::vector<std::string>& tools) final;
  bool EndsWithUser() const final { return true; }

 protected:
  // The definition of a tool of which only the name is known.
  virtual void Tool(std::string_view name, JsonWriter& json) const = 0;
  // The value of `tools`: an array of the definitions, unless the API wraps them.
  virtual void Tools(const std::vector<std::string>& names, JsonWriter& json) const;

  // The field `model` and a comma; nothing if no model is named.
  static std::string ModelField(std::string_view model);

  // A message: `write` gets the writer in an open object.
  template <class Write>
  void Message(Write&& write) {
    out() += first_ ? "\n" : ",\n";
    first_ = false;
    JsonWriter json(out());
    json.StartObject();
    write(json);
    json.EndObject();
  }

 private:
  bool first_ = true;
};

std::unique_ptr<StepWriter> WriterFor(Provider provider);
std::unique_ptr<StepWriter> AnthropicWriter();
std::unique_ptr<StepWriter> ChatWriter();
std::unique_ptr<StepWriter> ResponsesWriter();
std::unique_ptr<StepWriter> GeminiWriter();

}  // namespace turnlog
