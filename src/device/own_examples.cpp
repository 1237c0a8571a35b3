#include "device/own_examples.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "device/item_number.h"

namespace sotto::device {

namespace {

// Numbers are their own names; all others lie above them.
ItemIndex number_of(const std::string& name) {
  constexpr std::uint32_t hashed = 1u << 31;
  if (const auto number = item_number(name); number && *number < hashed) return {*number};
  constexpr std::size_t digits = 8;
  Hasher hasher;
  hasher.text(name);
  const std::string hash = std::move(hasher).hex().substr(0, digits);
  return {hashed | static_cast<std::uint32_t>(std::stoul(hash, nullptr, 16))};
}

bool fits(const KeptExample& one, const ExampleForm& form, std::size_t classes) {
  return one.height == form.height && one.width == form.width && one.label < classes;
}

}  // namespace

std::string OwnExamples::name_of(ItemIndex number) const {
  const auto found = std::ranges::lower_bound(history.items, number);
  SOTTO_ASSERT(found != history.items.end() && *found == number, "what is asked for is the person's");
  return names[static_cast<std::size_t>(found - history.items.begin())];
}

Result<OwnExamples> own_examples(DeviceStore& kept, const Task& task, const ConsentTerms& terms) {
  const ExampleForm form = task.model->examples(task);
  SOTTO_TRY(std::vector<KeptExample> all, kept.examples(form.collection));
  const std::size_t count = all.size();
  std::erase_if(all, [&](const KeptExample& one) { return !fits(one, form, task.items); });
  if (all.empty() && count > 0)
    return fail(Code::incompatible,
                fmt::format("none of this device's examples of {} has {} × {} bytes and a label below {}",
                            form.collection, form.height, form.width, task.items));
  std::erase_if(all, [&](const KeptExample& one) {
    return !terms.rules.empty() && terms.rules[one.label] == ItemRule::never;
  });
  std::vector<std::pair<ItemIndex, const KeptExample*>> order;
  for (const KeptExample& one : all) order.emplace_back(number_of(one.name), &one);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->name < b.second->name;
  });
  OwnExamples own;
  auto examples = std::make_shared<Examples>();
  examples->height = form.height;
  examples->width = form.width;
  examples->classes = static_cast<std::uint32_t>(task.items);
  examples->for_training = order.size();
  examples->values.reserve(order.size() * examples->size());
  for (auto [number, one] : order) {
    std::vector<ItemIndex>& items = own.history.items;
    if (!items.empty() && number <= items.back()) number.value = items.back().value + 1;  // of equal hashes
    items.push_back(number);
    own.names.push_back(form.collection + "/" + one->name);
    examples->values.insert(examples->values.end(), one->values.begin(), one->values.end());
    examples->labels.push_back(static_cast<std::uint8_t>(one->label));
  }
  if (std::ranges::any_of(all, [](const KeptExample& one) { return one.mark.has_value(); }))
    for (auto [number, one] : order) examples->marks.push_back(one->mark.value_or(false) ? 1 : 0);
  own.history.known.examples = std::move(examples);
  return own;
}

OwnExamples only(const OwnExamples& own, std::span<const ItemIndex> some) {
  const Examples& all = *own.history.known.examples;
  auto examples = std::make_shared<Examples>();
  examples->height = all.height;
  examples->width = all.width;
  examples->classes = all.classes;
  examples->for_training = some.size();
  OwnExamples part;
  part.history.items.assign(some.begin(), some.end());
  for (const std::uint32_t place : places_of(some, own.history.items)) {
    part.names.push_back(own.names[place]);
    examples->values.insert(examples->values.end(), all.of(place), all.of(place) + all.size());
    examples->labels.push_back(all.labels[place]);
    if (!all.marks.empty()) examples->marks.push_back(all.marks[place]);
  }
  part.history.known.examples = std::move(examples);
  return part;
}

}  // namespace sotto::device
