#include "data/records_io.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "data/context_schema.h"
#include "data/loader.h"

namespace sotto::data::records_io_test {

Split example() {
  const TextSource source{
      "t", "u,a,1,900000001\nu,b,2,900200002\nu,c,2,900300002\nv,a,3,900000003\nv,c,4,900900004\n"};
  Split split = split_dataset(load_interactions(std::span(&source, 1)).value(),
                              {.rule = TemporalHoldout{0.5}, .keep_records = true})
                    .value();
  Records records = *split.records;
  records.columns.push_back({"weather", {}});
  records.columns[0].values.intern("rain");
  records.train.columns = {std::vector<std::uint32_t>(split.train.interactions(), 0)};
  records.validation.columns = {{}};
  records.test.columns = {std::vector<std::uint32_t>(split.test.interactions(), no_value)};
  split.records = std::make_shared<const Records>(records);
  const Contexts contexts =
      derive_contexts(split, {.interval = true, .daypart = true, .columns = true}).value();
  split.contexts = std::make_shared<const Contexts>(contexts);
  return split;
}

TEST(RecordsIo, WhatWasSavedIsReadAgain) {
  const Split split = example();
  const Records records = load_records(save_records(*split.records), "r").value();
  EXPECT_EQ(records.hash(), split.records->hash());
  EXPECT_EQ(records.train.times, split.records->train.times);
  EXPECT_TRUE(fits(records, split));
  const Contexts contexts = load_contexts(save_contexts(*split.contexts), "c").value();
  EXPECT_EQ(contexts.hash(), split.contexts->hash());
  EXPECT_EQ(contexts.test.width, 3u);
  for (std::size_t d = 0; d < contexts.dimensions.size(); ++d)
    EXPECT_EQ(contexts.dimensions[d].looks_back, split.contexts->dimensions[d].looks_back);
  EXPECT_TRUE(contexts.dimensions[0].looks_back)
      << "of intervals: a person who keeps things back relies on it";
  EXPECT_EQ(contexts.dimensions[2].first, split.contexts->dimensions[2].first);
  EXPECT_TRUE(fits(contexts, split));
}

TEST(RecordsIo, ThoseOfAnotherSplitDoNotFit) {
  const Split split = example();
  Records records = *split.records;
  records.test.ratings.pop_back();
  EXPECT_FALSE(fits(records, split));
  Contexts contexts = *split.contexts;
  contexts.train.values.resize(contexts.train.values.size() - contexts.train.width);
  EXPECT_FALSE(fits(contexts, split));
}

TEST(RecordsIo, WhatBreaksALawIsRefused) {
  const Split split = example();
  const auto refused = [&](auto change) {
    Records records = *split.records;
    change(records);
    return !load_records(save_records(records), "r").ok();
  };
  EXPECT_FALSE(refused([](Records&) {}));
  EXPECT_TRUE(refused([](Records& r) { r.train.ratings[0] = 9.0f; }));
  EXPECT_TRUE(refused([](Records& r) { r.train.ratings[0] = std::numeric_limits<float>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Records& r) { r.scale.highest = std::numeric_limits<float>::infinity(); }));
  EXPECT_TRUE(refused([](Records& r) { r.train.times.pop_back(); }));
  EXPECT_TRUE(refused([](Records& r) { r.train.previous[0] = r.train.times[0] + 1; }));
  EXPECT_TRUE(refused([](Records& r) { r.train.columns[0][0] = 1; }));
  EXPECT_TRUE(refused([](Records& r) { r.has_ratings = false; }));
  const auto refused_contexts = [&](auto change) {
    Contexts contexts = *split.contexts;
    change(contexts);
    return !load_contexts(save_contexts(contexts), "c").ok();
  };
  EXPECT_FALSE(refused_contexts([](Contexts&) {}));
  EXPECT_TRUE(refused_contexts([](Contexts& c) { c.train.values[0] = c.dimensions[1].first; }));
  EXPECT_TRUE(refused_contexts([](Contexts& c) { c.train.values.pop_back(); }));
  EXPECT_TRUE(refused_contexts([](Contexts& c) { c.dimensions[0].source = ContextSource::item; }));
  EXPECT_TRUE(refused_contexts([](Contexts& c) { c.items = {{0, 1}, {0}}; })) << "a record's value";
}

RC_GTEST_PROP(RecordsIo, ChangedBytesAreRefusedOrSavedAsTheyAre, ()) {
  static const Split split = example();
  const bool of_contexts = *rc::gen::arbitrary<bool>();
  Bytes bytes = of_contexts ? save_contexts(*split.contexts) : save_records(*split.records);
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^=
      std::byte{*rc::gen::inRange<std::uint8_t>(1, 255)};
  if (of_contexts) {
    if (const auto read = load_contexts(bytes, "c"); read.ok()) RC_ASSERT(save_contexts(*read) == bytes);
  } else if (const auto read = load_records(bytes, "r"); read.ok()) {
    RC_ASSERT(save_records(*read) == bytes);
  }
}

}  // namespace sotto::data::records_io_test
