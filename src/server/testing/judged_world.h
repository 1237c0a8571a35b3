// For tests: a coordinator whose devices judge its versions.
#pragma once

#include "fed/models/live_evaluation.h"
#include "server/testing/coordinator_world.h"

namespace sotto::server {

inline TaskConfig judged(TaskConfig config, bool coverage = false) {
  config.spec.mutable_evaluation()->set_holdout(2);
  config.spec.mutable_evaluation()->set_cutoff(3);
  config.spec.mutable_evaluation()->set_coverage(coverage);
  return config;
}

// A world whose devices train one version.
struct JudgedWorld : World {
  explicit JudgedWorld(const TaskConfig& config, std::uint32_t count = 3)
      : World(config, count), figures_task(evaluation_task(*read_task(config.spec))) {}
  void train(std::uint32_t count) {
    for (std::uint32_t n = 0; n < count; ++n) exchange(n);
  }
  v1::CheckInReply offer(std::uint32_t device, std::uint32_t from = 1) {
    v1::CheckInRequest request;
    v1::Judges* judges = request.add_judges();
    judges->set_task("small");
    judges->set_from(from);
    return check_in(device, request);
  }
  v1::Assignment asked(std::uint32_t device) {
    const v1::CheckInReply reply = offer(device);
    EXPECT_TRUE(reply.assignment().judge());
    return reply.assignment();
  }
  // Of a list whose only hit is at `place`, of two items held out; at 3 none.
  Contribution figures(std::uint32_t place) {
    std::vector<ItemIndex> list{{10}, {11}, {12}};
    std::vector<ItemIndex> relevant{{20}, {21}};
    if (place < list.size()) list[place] = {20};
    return figures_of(figures_task, list, relevant);
  }
  // As a secure sum has them.
  std::vector<std::int32_t> summed(const Contribution& sent) const {
    std::vector<std::int32_t> input(figures_task.shape().sum_numbers(), 0);
    for (std::size_t row = 0; row < sent.size(); ++row)
      for (std::size_t k = 0; k < sent.width(); ++k)
        input[sent.row(row) * sent.width() + k] = sent.values(row)[k];
    return input;
  }
  std::string message(const v1::Assignment& assignment, const Contribution& sent) {
    return pack_contribution({assignment.round(), sent}, false);
  }
  v1::Reply judge(std::uint32_t device, const v1::Assignment& assignment, std::uint32_t place) {
    return give(device, assignment, message(assignment, figures(place)));
  }
  nlohmann::json version(std::uint32_t number) {
    for (const auto& one : nlohmann::json::parse(*own->ask("versions", R"({"most":100})", now)))
      if (one["version"] == number) return one;
    return {};
  }
  std::size_t released() { return store.evaluations("small", 100)->size(); }

  Task figures_task;
};

}  // namespace sotto::server
