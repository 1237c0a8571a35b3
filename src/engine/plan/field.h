// Field: one row of the table of fields. It names a key of a plan and the flag that sets it, says what both
// mean, and knows where in a request the value lies. Reading and writing plans, flags, help, completion,
// studies and hashes all go by these rows; nothing else names an option.
//
// Law: what get() gives, set() takes, and the request is the same.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan_value.h"
#include "engine/plan/request.h"

namespace sotto::engine {

// How many words a flag takes.
enum class FlagWords : std::uint8_t { none, one, many, commas };

struct Field {
  std::string path = {};  // "linear.l1", "seed"; empty: a flag alone
  std::string flag = {};  // "--l1"; empty: a key alone
  std::string type = {};  // of the value, in help
  std::string help = {};
  std::string group = {};                // in help
  std::string standard = {};             // what holds unless told, where the value itself does not say it
  std::vector<std::string> values = {};  // where these are all there are
  std::vector<std::string> tries = {};   // TOML values that are worth trying
  FlagWords words = FlagWords::one;
  WordKind kind = WordKind::text;
  bool is_file = false;  // a word is a path
  bool common = false;   // of every model
  std::string scope =
      {};  // where one key means a thing of another size: a rate of networks is no rate of FPL
  // Nothing where there is nothing to write.
  std::function<std::optional<PlanValue>(const TrainRequest&)> get = {};
  std::function<Status(TrainRequest&, const PlanValue&)> set = {};
  PlanValue typed_alone = {};  // FlagWords::none: what the flag stands for

  [[nodiscard]] std::string section() const;  // "linear"; "" for what stands at the top
  [[nodiscard]] std::string key() const;      // "l1"
  // The words behind a flag as a value of the field's kind.
  [[nodiscard]] Result<PlanValue> value_from(const std::vector<std::string>& typed) const;
  // The same row with another word on what holds unless told.
  [[nodiscard]] Field with_standard(std::string text) const;
  [[nodiscard]] Field with_help(std::string text) const;
  [[nodiscard]] Field with_values(std::vector<std::string> some) const;
  [[nodiscard]] Field with_tries(std::vector<std::string> values) const;
  [[nodiscard]] Field in_group(std::string name) const;
  [[nodiscard]] Field of_scope(std::string name) const;
};

using Fields = std::vector<Field>;
[[nodiscard]] Fields joined(std::vector<Fields> parts);

// What a row says, but for where its value lies.
struct FieldText {
  std::string path, flag, type, help;
};

namespace fields {

// Written only where it differs from what plans without it mean.
[[nodiscard]] Field unless_usual(Field field);
// A list that is typed with commas.
[[nodiscard]] Field with_commas(Field field);
// A flag that sets more than one value; it stands in no plan.
[[nodiscard]] Field setter(FieldText text, std::function<Status(TrainRequest&, const std::string&)> set);

// Where one of a model's own options lies.
template <class Own, class T>
auto own(T Own::*member) {
  return [member](auto& request) -> auto& { return request.model.template own<Own>().*member; };
}

}  // namespace fields

}  // namespace sotto::engine
