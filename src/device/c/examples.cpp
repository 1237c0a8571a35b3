// The C library: labelled examples.
#include "sotto/examples.h"

#include <cstring>

#include "device/c/device_handle.h"
#include "device/classify.h"

namespace sotto::device {

namespace {

// What a newer program gives is longer. All members are in every version.
bool has_size(const sotto_example& example) {
  return example.size >= sizeof(sotto_example) && example.size % alignof(sotto_example) == 0;
}
Error no_size() { return fail(Code::usage, "an example's size is sizeof(sotto_example)"); }

// Without its names.
Result<KeptExample> picture_given(const sotto_example& example) {
  KeptExample one{.height = example.height, .width = example.width, .label = example.label};
  if (example.values == nullptr) return fail(Code::usage, "an example's values are needed, not NULL");
  if (example.has_mark != 0) one.mark = example.mark != 0;
  constexpr std::uint64_t most = std::uint64_t{1} << 24;  // what no vault keeps is not read
  const std::uint64_t size = std::uint64_t{example.height} * example.width;
  if (size <= most) one.values.assign(example.values, example.values + size);
  return one;
}

Result<KeptExample> example_given(const std::byte* at) {
  sotto_example example{};
  std::memcpy(&example, at, sizeof example);
  SOTTO_TRY(KeptExample one, picture_given(example));
  SOTTO_TRY(one.collection, given(example.collection, "a collection"));
  SOTTO_TRY(one.name, given(example.name, "an example's name"));
  return one;
}

}  // namespace

}  // namespace sotto::device

using namespace sotto::device;  // NOLINT: the functions below are C's

sotto_status sotto_add_examples(sotto_device* device, const sotto_example* examples, size_t count) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (count == 0) return Done{};
    if (examples == nullptr) return fail(Code::usage, "examples are needed, not NULL");
    if (!has_size(*examples)) return no_size();
    const std::size_t size = examples->size;
    std::vector<KeptExample> all;
    const auto* at = reinterpret_cast<const std::byte*>(examples);
    for (std::size_t n = 0; n < count; ++n, at += size) {
      SOTTO_TRY(KeptExample one, example_given(at));
      all.push_back(std::move(one));
    }
    return own.vault->add(all);
  });
}

sotto_status sotto_remove_examples(sotto_device* device, const char* collection, const char* name) {
  return guarded(device, [&](sotto_device& own) -> Status {
    SOTTO_TRY(const std::string of, given(collection, "a collection"));
    std::vector<std::string> names;
    if (name != nullptr) names.emplace_back(name);
    SOTTO_TRY(const std::size_t there,
              name == nullptr ? own.vault->remove_examples(of) : own.vault->remove_examples(of, names));
    if (there == 0) return fail(Code::not_found, "there is no such example on this device");
    return Done{};
  });
}

sotto_status sotto_examples(sotto_device* device, const char* collection, sotto_example_fn each,
                            void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (each == nullptr) return fail(Code::usage, "a callback is needed, not NULL");
    SOTTO_TRY(const std::vector<KeptExample> all,
              own.vault->examples(collection != nullptr ? collection : ""));
    for (const KeptExample& one : all) {
      const sotto_example example{.size = sizeof(sotto_example),
                                  .collection = one.collection.c_str(),
                                  .name = one.name.c_str(),
                                  .values = one.values.data(),
                                  .height = one.height,
                                  .width = one.width,
                                  .label = one.label,
                                  .has_mark = one.mark ? 1 : 0,
                                  .mark = one.mark.value_or(false) ? 1 : 0};
      each(user_data, &example);
    }
    return Done{};
  });
}

sotto_status sotto_classify(sotto_device* device, const char* task, const sotto_example* example,
                            sotto_item_fn each, void* user_data) {
  return guarded(device, [&](sotto_device& own) -> Status {
    if (example == nullptr || each == nullptr)
      return fail(Code::usage, "an example and a callback are needed, not NULL");
    if (!has_size(*example)) return no_size();
    SOTTO_TRY(const KeptExample one, picture_given(*example));
    std::string name = task != nullptr ? task : "";
    if (task == nullptr) {
      SOTTO_TRY(name, only_task(*own.vault));
    }
    SOTTO_TRY(const LocalClassifier model, LocalClassifier::load(*own.vault, name));
    SOTTO_TRY(const std::vector<ClassShare> classes, model.classes_of(one));
    for (const ClassShare& kind : classes) each(user_data, kind.item.c_str(), double{kind.share});
    return Done{};
  });
}
