// Witness: sees every request that reaches a coordinator and what it answered, looks into the store after
// each restart, and says which promise was broken. It trusts neither side's own account.
//
// The promises (what `inspect` and `see` check): released versions never change and never vanish; numbers of
// rounds never fall and closed rounds stay as they are; a version is the one before and the sum of exactly
// the contributions that were taken, or, once, the one before with rows for items that came, which the task
// then has; each noisy version is charged once; a device is asked for a round at most once and answers it
// with one contribution.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "fed/models/task_model.h"
#include "fed/wire/transport.h"
#include "privacy/kept_items.h"
#include "server/store.h"
#include "server/task_config.h"

namespace sotto::tests {

// Of the small models that worlds train.
inline constexpr std::uint32_t world_factors = 3;
inline constexpr std::uint32_t world_hidden = 2;
inline constexpr std::uint32_t world_popular = 6;  // items, where pairs are of these alone
// Of the contexts in the worlds' catalogues.
inline constexpr std::uint32_t world_values = 7;

class Witness {
 public:
  // `grown`: the same with more items; without them where they never come.
  Witness(TaskConfig config, const TaskConfig& grown);

  // What an honest device lets out, whether it arrives or not.
  void see_leaving(Method method, const std::string& request);
  // What arrives. No reply: the server died at it.
  void see(Method method, const std::string& request, const std::optional<std::string>& reply);
  // When a coordinator has opened the store.
  void inspect(Store& store);
  void complain(const std::string& what) { broken_.push_back(what); }

  [[nodiscard]] const std::vector<std::string>& broken() const { return broken_; }
  [[nodiscard]] std::size_t versions() const { return versions_.size(); }

 private:
  using Given = std::map<std::string, std::string>;  // device → its contribution
  struct Place {
    std::string device;
    std::uint32_t round = 0;
  };
  using Sent = std::tuple<std::string, std::uint32_t, std::uint32_t>;  // device, round and part
  // The round of a contribution; none: it is no contribution, or of nobody who was asked for one.
  [[nodiscard]] std::optional<std::uint32_t> round_of(const std::string& device,
                                                      const v1::StepRequest& request) const;
  void see_check_in(const std::string& device, const v1::Reply& reply);
  void see_step(const std::string& device, const v1::StepRequest& request,
                const std::optional<v1::Reply>& reply);
  void inspect_rounds(Store& store);
  void inspect_versions(Store& store, const std::string& spec);
  // What the store has of a version, as of the items that it is of.
  [[nodiscard]] std::optional<ServerState> state_of(Store& store, const VersionRecord& version);
  void judge_growth(const VersionRecord& version, const ServerState& before, const ServerState& after);
  void inspect_budget(const TaskRecord& record);
  void judge_sum(const VersionRecord& version, const ServerState& before);
  [[nodiscard]] RowMatrix made_of(const Histories& people, const KeptItems* kept) const;
  // Versions that rounds made.
  [[nodiscard]] std::uint32_t committed() const;
  // Which items are popular by what was given to the first part of a round.
  [[nodiscard]] KeptItems popular(std::uint32_t round) const;
  // What a server makes of sums of rows.
  using Sums = std::map<std::uint32_t, std::vector<std::int64_t>>;
  [[nodiscard]] ServerState moved_by(Sums sums, const ServerState& before) const;
  [[nodiscard]] std::string sum_of(const ServerState& before, const Given& given, std::uint32_t round) const;

  TaskConfig config_;
  Task task_, grown_;  // of now, and of more items
  ServerState start_, grown_start_;
  std::optional<std::uint32_t> grew_;    // with which version
  std::map<std::string, Place> places_;  // by token
  std::map<Sent, std::string> sent_;
  std::map<std::uint32_t, Given> taken_, unsure_;  // by round: what is in its last part
  std::map<std::uint32_t, Given> counted_;         // and in the one before it
  std::vector<VersionRecord> versions_;
  ServerState newest_;
  std::map<std::uint32_t, std::string> closed_;
  std::uint32_t next_round_ = 0;
  std::vector<std::string> broken_;
};

}  // namespace sotto::tests
