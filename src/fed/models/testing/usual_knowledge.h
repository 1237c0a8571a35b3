// For tests: what a catalogue says of a task's items, and a device of its own records.
#pragma once

#include <string>

#include "fed/models/device_history.h"

namespace sotto::fed {

// Features "is o0" … and, of two hops, "made by, born in p0" …, some items without; one dimension of records
// ("weather") and one of items ("kind"); ratings from 1 to 5.
inline DeviceKnowledge usual_knowledge(std::size_t items) {
  FeatureList list;
  IdTable names;
  Contexts contexts;
  contexts.dimensions = {{"weather", ContextSide::user, ContextSource::record, {"sun", "rain", "snow"}, 0},
                         {"kind", ContextSide::item, ContextSource::item, {"a", "b", "c", "d"}, 3}};
  for (std::uint32_t item = 0; item < items; ++item) {
    const std::string name = std::to_string(item);
    names.intern(name);
    const std::uint32_t row = list.items.intern(name);
    const auto add = [&](const char* predicate, const std::string& object) {
      list.facts.push_back({row, list.intern_predicate(predicate), list.objects.intern(object)});
    };
    if (item % 5 != 4) add("is", "o" + std::to_string(item % 4));
    if (item % 3 == 0) add("made by~born in", "p" + std::to_string(item % 7));
    if (item % 2 == 1) add("is", "q" + std::to_string(item % 11));
    contexts.items.values.push_back(3 + item % 3);
    if (item % 2 == 0) contexts.items.values.push_back(6);
    contexts.items.ends.push_back(contexts.items.values.size());
  }
  list.settle();
  Records records;
  records.scale = {1.0f, 5.0f};
  return {.records = std::make_shared<const Records>(records),
          .features = std::make_shared<const ItemFeatures>(list, names, FeatureFilter{.min_items = 1}),
          .contexts = std::make_shared<const Contexts>(std::move(contexts))};
}

// Examples of 28 × 28 bytes, one an item of a history, of as many classes as there are items.
inline Examples usual_examples(std::size_t items, std::span<const ItemIndex> history) {
  Examples examples;
  examples.height = examples.width = 28;
  examples.classes = static_cast<std::uint32_t>(items);
  for (const ItemIndex item : history) {
    for (std::size_t n = 0; n < examples.size(); ++n)
      examples.values.push_back(static_cast<std::uint8_t>((item.value + 1) * (n + 3)));
    examples.labels.push_back(static_cast<std::uint8_t>(item.value % items));
  }
  examples.for_training = examples.count();
  return examples;
}

// The same with records and examples of a person who has these items.
inline DeviceKnowledge usual_knowledge(std::size_t items, std::span<const ItemIndex> history) {
  DeviceKnowledge known = usual_knowledge(items);
  Records records = *known.records;
  Contexts contexts = *known.contexts;
  records.has_ratings = true;
  contexts.train.width = 1;
  for (const ItemIndex item : history) {
    records.train.ratings.push_back(static_cast<float>(1 + item.value % 5));
    contexts.train.values.push_back(item.value % 3);
  }
  known.records = std::make_shared<const Records>(std::move(records));
  known.contexts = std::make_shared<const Contexts>(std::move(contexts));
  known.examples = std::make_shared<const Examples>(usual_examples(items, history));
  return known;
}

}  // namespace sotto::fed
