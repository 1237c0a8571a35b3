// What no task by criteria may ask for.
#include <gtest/gtest.h>

#include "fed/models/testing/weighed_spec.h"
#include "fed/models/weighed_task.h"

namespace sotto::fed::weighed_refusals_test {
namespace {

using weighed::categories, weighed::items, weighed::weighed_spec;

std::string why_refused(const v1::TaskSpec& spec) {
  const auto task = read_task(spec);
  return task.ok() ? "" : task.error().message;
}
::testing::AssertionResult refuses(const v1::TaskSpec& spec, const char* words) {
  const std::string why = why_refused(spec);
  if (why.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << '"' << why << '"';
}

TEST(WeighedTasks, RefuseByName) {
  EXPECT_TRUE(refuses(weighed_spec(fedease_task, "size"), "not for fedease"));
  EXPECT_TRUE(refuses(weighed_spec(fpl_task, "novelty"), "devices are not told"));
  EXPECT_TRUE(refuses(weighed_spec(fpl_task, "TR"), "speak for itself"));
  EXPECT_TRUE(refuses(weighed_spec(fpl_task, "layer-closeness"), "take closeness"));
  EXPECT_TRUE(refuses(weighed_spec(fedals_task, "closeness"), "sends statistics"));
  EXPECT_TRUE(refuses(weighed_spec(fpl_task, "size>beauty"), "is no criterion"));
  EXPECT_TRUE(refuses(weighed_spec(fpl_task, "size>\x1b[2J"), "names with > between"));
  EXPECT_TRUE(refuses(weighed_spec(fpl_task, ""), "empty name"));
  v1::TaskSpec spec = weighed_spec(fpl_task, "size");
  spec.mutable_criteria()->set_size_bound(0);
  EXPECT_TRUE(refuses(spec, "set size_bound"));
  spec.mutable_criteria()->set_size_bound(1'000'001);
  EXPECT_TRUE(refuses(spec, "from 1 to 1000000"));
  spec = weighed_spec(fpl_task, "quality");
  spec.mutable_criteria()->set_size_bound(3);
  EXPECT_TRUE(refuses(spec, "size_bound is of the criterion size"));
  spec.mutable_criteria()->set_size_bound(0);
  spec.mutable_criteria()->clear_quality();
  EXPECT_TRUE(refuses(spec, "set quality_category"));
  spec = weighed_spec(fpl_task, "diversity");
  spec.mutable_criteria()->set_quality("War");
  EXPECT_TRUE(refuses(spec, "quality_category is of the criterion quality"));
  spec.mutable_criteria()->clear_quality();
  spec.mutable_criteria()->set_least_tellers(2);
  EXPECT_TRUE(refuses(spec, "raise crowd"));
  spec.mutable_criteria()->set_least_tellers(3);
  EXPECT_EQ(why_refused(spec), "");
  spec.mutable_criteria()->add_weights(1.0);
  EXPECT_TRUE(refuses(spec, "has no weights"));
  spec.mutable_criteria()->set_score("\x1b[2J");
  EXPECT_TRUE(refuses(spec, "score is prioritized, mean"));
  spec = weighed_spec(fpl_task, "diversity", true);
  EXPECT_EQ(why_refused(spec), "");
  spec.mutable_assumed()->set_crowd(4);
  EXPECT_TRUE(refuses(spec, "at least 4 people"));
}

TEST(WeighedTasks, NeedACatalogueThatSaysWhatTheyMeasure) {
  const Task counts = *read_task(weighed_spec(fpl_task, "diversity")),
             marks = *read_task(weighed_spec(fpl_task, "quality"));
  EXPECT_FALSE(check_known(counts, {}).ok());
  EXPECT_FALSE(check_known(marks, {}).ok());
  DeviceKnowledge known;
  known.categories = categories;
  EXPECT_TRUE(check_known(counts, known).ok());
  EXPECT_TRUE(check_known(marks, known).ok());
  EXPECT_TRUE(check_known(counts, usual_knowledge(items)).ok()) << "features are classes, too";
  const std::vector<std::string> peaceful(items, "Drama");
  known.categories = peaceful;
  EXPECT_FALSE(check_known(marks, known).ok());
  EXPECT_TRUE(check_known(*read_task(weighed_spec(fpl_task, "size>recency>closeness")), {}).ok());
}

}  // namespace
}  // namespace sotto::fed::weighed_refusals_test
