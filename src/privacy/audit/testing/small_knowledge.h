// A tiny KGFlex federation, written plainly in doubles, whose messages the audit's tests attack. People love
// a few features each and consume items that have them; a profile is the features of the consumed items that
// are the most frequent there beside the catalogue.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "data/histories.h"
#include "data/item_features.h"
#include "privacy/audit/testing/small_catalogue.h"
#include "privacy/audit/transcript.h"

namespace sotto::privacy::audit_test {

class SmallKnowledge {
 public:
  explicit SmallKnowledge(const KnowledgeOptions& options)
      : options_(options),
        draws_(options.seed, Purpose::generate_world),
        features_(made_features(options, draws_)) {
    for (std::uint32_t user = 0; user < options.users; ++user) {
      histories_.push_back(drawn_history());
      profiles_.push_back(profile_of(histories_.back()));
    }
  }

  [[nodiscard]] const ItemFeatures& features() const { return features_; }
  [[nodiscard]] Histories histories() const { return joined(histories_); }
  // Features in place of items.
  [[nodiscard]] Histories profiles() const {
    std::vector<std::vector<ItemIndex>> rows;
    for (const auto& profile : profiles_) {
      std::vector<ItemIndex>& row = rows.emplace_back();
      for (const auto& [feature, gain] : profile) row.push_back({feature});
    }
    return joined(rows);
  }
  [[nodiscard]] TranscriptHead head() const {
    TranscriptHead head;
    head.users = options_.users;
    head.catalogue = static_cast<std::uint32_t>(features_.features());
    head.width = options_.factors + 1;
    head.split = "small";
    head.model = SeenModel::kgflex;
    head.items = options_.items;
    head.features = features_.hash();
    return head;
  }

  // Everybody's messages of the next round, under their names.
  [[nodiscard]] SeenRound play() {
    SeenRound round;
    round.round = round_++;
    round.shared = RowMatrix(features_.features(), options_.factors + 1);
    for (std::uint32_t user = 0; user < options_.users; ++user) round.messages.push_back(visit(user));
    return round;
  }

 private:
  using Profile = std::map<std::uint32_t, double>;  // feature → gain

  [[nodiscard]] std::vector<ItemIndex> drawn_history() {
    std::vector<ItemIndex> history;
    while (history.size() < options_.history) {
      const FeatureIndex loved{draws_.below(static_cast<std::uint32_t>(features_.features()))};
      const auto items = features_.items_with(loved);
      const std::size_t most = std::min<std::size_t>(items.size(), options_.history / options_.loved);
      for (std::size_t n = 0; n < most && history.size() < options_.history; ++n)
        if (std::find(history.begin(), history.end(), items[n]) == history.end()) history.push_back(items[n]);
    }
    std::sort(history.begin(), history.end());
    return history;
  }

  [[nodiscard]] Profile profile_of(const std::vector<ItemIndex>& history) const {
    std::map<std::uint32_t, double> counts;
    for (const ItemIndex item : history)
      for (const FeatureIndex feature : features_.of(item)) counts[feature.value] += 1.0;
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (const auto& [feature, count] : counts) {
      const double here = count / static_cast<double>(history.size());
      const double everywhere =
          static_cast<double>(features_.items_with({feature}).size()) / static_cast<double>(options_.items);
      if (here > everywhere) ranked.emplace_back(everywhere - here, feature);
    }
    std::sort(ranked.begin(), ranked.end());
    if (ranked.size() > options_.profile) ranked.resize(options_.profile);
    Profile profile;
    for (const auto& [loss, feature] : ranked) profile[feature] = -loss;
    return profile;
  }

  // Early in training: every σ is ½, p_f is what the device began with.
  [[nodiscard]] SeenMessage visit(std::uint32_t user) {
    const std::vector<ItemIndex>& history = histories_[user];
    std::map<std::uint32_t, double> c;
    for (std::uint32_t n = 0; n < options_.pairs; ++n) {
      const ItemIndex i = history[draws_.below(static_cast<std::uint32_t>(history.size()))];
      ItemIndex j{draws_.below(options_.items)};
      while (std::binary_search(history.begin(), history.end(), j)) j = {draws_.below(options_.items)};
      for (const FeatureIndex feature : features_.of(i)) c[feature.value] += 0.5;
      for (const FeatureIndex feature : features_.of(j)) c[feature.value] -= 0.5;
    }
    SeenMessage message;
    message.members = {user};
    std::map<std::uint32_t, double> sent;  // feature → Δb
    for (const auto& [feature, gain] : profiles_[user])
      if (feature >= options_.kept_back && c.contains(feature)) sent[feature] = c[feature] * gain;
    if (options_.random_rows) {
      const std::size_t rows = sent.size();
      for (sent.clear(); sent.size() < rows;)
        sent[draws_.below(static_cast<std::uint32_t>(features_.features()))] = draws_.normal();
    }
    for (const auto& [feature, bias] : sent) {
      message.rows.push_back(feature);
      for (std::uint32_t k = 0; k < options_.factors; ++k)
        message.values.push_back(std::llround(0.1 * bias * draws_.normal() / head_unit));
      message.values.push_back(std::llround(bias / head_unit));
    }
    return message;
  }

  static constexpr double head_unit = 1.0 / (1 << 20);

  KnowledgeOptions options_;
  Stream draws_;
  ItemFeatures features_;
  std::vector<std::vector<ItemIndex>> histories_;
  std::vector<Profile> profiles_;
  std::uint32_t round_ = 0;
};

}  // namespace sotto::privacy::audit_test
