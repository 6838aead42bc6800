#include "migrate/requests/request_writer.h"

#include <fmt/format.h>

namespace turnlog {

std::string RequestWriter::End(const std::vector<std::string>& tools) {
  std::string text = "\n]";
  if (!tools.empty()) {
    text += ",\"tools\":";
    JsonWriter json(text);
    Tools(tools, json);
  }
  return text + "}\n";
}

void RequestWriter::Tools(const std::vector<std::string>& names, JsonWriter& json) const {
  json.StartArray();
  for (const std::string& name : names) Tool(name, json);
  json.EndArray();
}

std::string RequestWriter::ModelField(std::string_view model) {
  return model.empty() ? "" : fmt::format(R"("model":{},)", JsonString(model).text());
}

std::unique_ptr<StepWriter> WriterFor(Provider provider) {
  switch (provider) {
    case Provider::kAnthropic:
      return AnthropicWriter();
    case Provider::kOpenAiChat:
      return ChatWriter();
    case Provider::kOpenAiResponses:
      return ResponsesWriter();
    case Provider::kGemini:
      break;
  }
  return GeminiWriter();
}

}  // namespace turnlog
