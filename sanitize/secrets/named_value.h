// Reads the value of something that has a name, in the notations of programs, settings, markup, command lines and
// prose:
//
//   NAME=v   name: "v"   'name' => 'v'   name: str = "v"   os.environ["NAME"] = "v"   f("name", "v")   NAME ?= v
//   <name>v</name>   <add key="name" value="v"/>   {"name": "NAME", "value": "v"}   --name v   ?name=v&
//   | name | v |   name,v   PASSWORD 'v'   the name is v   and the blocks of YAML
//
// It only finds where the value is. Whether it is a secret depends on the name, the value, and the notation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

enum class ValueForm : std::uint8_t {
  kAssigned,  // by an operator, or in quotes after the name
  kArgument,  // after a comma or a parenthesis
  kColumn,    // of a table, or of comma-separated values
  kElement,   // of XML or HTML
  kFlag,      // of a command line
  kProse,     // after blanks, or after "is"
  kSetting,   // assigned on a line of its own or in JSON, before a command, by a flag, in a connection string: not in
              // code
};
inline constexpr std::string_view kValueForms[] = {"assigned", "argument", "column", "element",
                                                   "flag",     "prose",    "setting"};

struct NamedValue {
  TextSpan name;   // the whole identifier, such as `my_api_token` or `db.password`
  TextSpan value;  // without quotes; never empty
  ValueForm form;
};

// The value of the identifier that text[part] is in. Reads a few bytes unless there is one.
std::optional<NamedValue> ReadNamedValue(std::string_view text, TextSpan part);

}  // namespace turnlog
