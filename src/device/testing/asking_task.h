// For tests: a task that learns in contexts of people, which its catalogue names.
#pragma once

#include <initializer_list>

#include "fed/models/testing/usual_spec.h"
#include "fed/wire/catalogue.h"

namespace sotto::device {

using Asked = std::initializer_list<std::pair<const char*, std::initializer_list<const char*>>>;

// Things "0", "1", … and what people are asked.
inline TaskCatalogue asking_catalogue(std::uint32_t items, const Asked& asked) {
  TaskCatalogue made;
  for (std::uint32_t item = 0; item < items; ++item) made.names.intern(std::to_string(item));
  std::vector<RecordColumn> attributes;
  for (const auto& [name, values] : asked) {
    RecordColumn& column = attributes.emplace_back(RecordColumn{name, {}});
    for (const char* value : values) column.values.intern(value);
  }
  made.schema = {.daypart = true, .person = true};
  made.contexts =
      std::make_shared<const Contexts>(context_vocabulary(made.schema, {}, nullptr, attributes).value());
  made.scale = {1.0f, 5.0f};
  return made;
}

// Lists by predicted ratings.
struct RatingsAlone final : NothingWritten {
  void choice(const char* key, std::initializer_list<const char*>, std::size_t& place) override {
    if (key == std::string_view("choices")) place = 0;
  }
};

inline v1::TaskSpec asking_spec(const TaskCatalogue& catalogue) {
  v1::TaskSpec spec;
  spec.set_name("small");
  spec.set_model(fedcars_task.name);
  spec.set_items(static_cast<std::uint32_t>(catalogue.names.size()));
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  RatingsAlone written;
  fedcars_task.configure(written, spec);
  SOTTO_ASSERT(take_known(known_of(&catalogue), spec).ok(), "it learns from ratings in contexts");
  return spec;
}

}  // namespace sotto::device
