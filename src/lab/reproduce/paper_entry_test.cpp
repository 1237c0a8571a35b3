// What is wrong in a TOML file of papers/ is said at once, with file and line; what is there is right.
#include "lab/reproduce/paper_entry.h"

#include <gtest/gtest.h>

#include <array>

#include "lab/reproduce/averaging_plans.h"
#include "lab/reproduce/paper_data.h"
#include "lab/reproduce/paper_files.h"

namespace sotto::lab {
namespace {

// A document as the papers have them: what a reader of every kind of key says of it.
std::string said(const std::string& text) {
  const auto document = parse_toml(text, "papers/some.toml");
  if (!document.ok()) return document.error().message;
  PaperEntry root(*document, "papers/some.toml");
  root.each("plan", [](PaperEntry& entry) {
    std::string model;
    std::vector<std::string> datasets;
    std::vector<Axis> axes;
    std::map<std::string, std::uint32_t> fewer;
    std::uint32_t seeds = 0;
    double seconds = 0.0;
    bool quick = false;
    PlanPart plan;
    PlanOrigin origin = PlanOrigin::nothing;
    entry.need("model", model).may("datasets", datasets).may("axes", axes).may("seeds", seeds);
    entry.may("seconds", seconds).may("quick", quick).may("plan", plan).may("fewer", fewer);
    entry.word("from", std::array<std::string_view, 2>{"nothing", "given"}, origin);
  });
  const Status done = root.done();
  return done.ok() ? "" : done.error().message;
}

TEST(PaperEntry, what_is_wrong_names_file_and_line) {
  const std::string right = "[[plan]]\nmodel = \"x\"\n";
  EXPECT_EQ(
      said(right + "axes = [[\"model.lr\", 1, 0.5, \"0.0\"]]\nfewer = {A = 3}\nplan.model = {factors = 3}\n"),
      "");
  for (const char* wrong : {"modell = 3\n", "datasets = \"A\"\n", "datasets = [1]\n",
                            "axes = [[\"model.lr\"]]\n", "seeds = -1\n", "seeds = 1.5\n", "seconds = \"1\"\n",
                            "quick = 1\n", "plan = 3\n", "from = \"elsewhere\"\n", "fewer = {A = \"b\"}\n"}) {
    const std::string message = said(right + wrong);
    EXPECT_NE(message.find("papers/some.toml, line 3: "), std::string::npos) << wrong << message;
  }
  EXPECT_NE(said("[[plan]]\nseeds = 1\n").find("line 1: model: it is missing"), std::string::npos);
  EXPECT_NE(said("[plan]\nmodel = \"x\"\n").find("papers/some.toml, line 1"), std::string::npos);
  EXPECT_NE(said(right + "[other]\n").find("line 3: other: unknown key"), std::string::npos);
}

// Of a part of a plan its own reader tells.
TEST(PaperEntry, a_plan_names_file_and_line_too) {
  const auto document = parse_toml("a = 1\nplan.model = {no_such = 3}\n", "papers/some.toml").value();
  PaperEntry root(document, "papers/some.toml");
  PlanPart plan;
  root.need("plan", plan);
  const auto read = plan({});
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("papers/some.toml, line 2"), std::string::npos) << read.error().message;
}

TEST(Papers, every_document_is_read_and_every_plan_can_be) {
  for (const Target& target : targets()) {
    for (const std::string& name : target.datasets) {
      const auto data = find_data(name, {"nowhere", true});
      ASSERT_TRUE(data.ok()) << data.error().message;
      EXPECT_FALSE(data->remedy.empty()) << name;
      if (target.paper->is("averaging")) {
        const Experiment& experiment = experiment_on(name);
        EXPECT_EQ(experiment.held.size(), experiment.within.size()) << name;
        continue;
      }
      for (const std::string& model : target.models) {
        const PaperPlan* plan = find_plan(*target.paper, name, model);
        for (const Effort effort : {Effort::quick, Effort::full}) {
          if (plan == nullptr) continue;
          const auto request = request_of(*target.paper, *plan, effort);
          EXPECT_TRUE(request.ok()) << request.error().message;
        }
      }
    }
    if (!target.fallback.empty()) {
      EXPECT_TRUE(find_data(target.fallback, {"nowhere", false}).ok());
    }
  }
  for (const PaperFile& file : paper_files())
    if (file.path.ends_with(".toml")) {
      EXPECT_TRUE(parse_toml(std::string(file.text), std::string(file.path)).ok());
    }
}

}  // namespace
}  // namespace sotto::lab
