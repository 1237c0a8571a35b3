#include "fed/criteria/history_facts.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/assert.h"
#include "fed/criteria/size.h"

namespace sotto::fed {

ItemClasses::ItemClasses(std::span<const std::string> categories) {
  std::map<std::string_view, std::uint32_t> number;
  for (const std::string& joined : categories) {
    const std::string_view text = joined;
    const std::size_t first = classes_.size();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('|', begin), text.size());
      if (end > begin)
        classes_.push_back(
            number.emplace(text.substr(begin, end - begin), static_cast<std::uint32_t>(number.size()))
                .first->second);
      begin = end + 1;
    }
    std::sort(classes_.begin() + static_cast<std::ptrdiff_t>(first), classes_.end());
    classes_.erase(std::unique(classes_.begin() + static_cast<std::ptrdiff_t>(first), classes_.end()),
                   classes_.end());
    ends_.push_back(classes_.size());
  }
  count_ = number.size();
}

ItemClasses::ItemClasses(const ItemFeatures& features) : count_(features.features()) {
  for (std::uint32_t item = 0; item < features.items(); ++item) {
    for (const FeatureIndex feature : features.of(ItemIndex{item})) classes_.push_back(feature.value);
    ends_.push_back(classes_.size());
  }
}

std::span<const std::uint32_t> ItemClasses::of(ItemIndex item) const {
  if (item.value + std::size_t{1} >= ends_.size()) return {};
  return std::span(classes_).subspan(ends_[item.value], ends_[item.value + 1] - ends_[item.value]);
}

HistoryFacts::HistoryFacts(Histories histories, std::size_t catalogue, HistoryFactsOptions options,
                           std::shared_ptr<const ConsentBook> people)
    : histories_(std::move(histories)),
      options_(std::move(options)),
      people_(std::move(people)),
      heard_until_(histories_.users(), 0) {
  SOTTO_ASSERT(options_.trust.empty() || options_.trust.size() == histories_.users(),
               "trust is of everybody");
  SOTTO_ASSERT(options_.marked.empty() || options_.marked.size() >= catalogue, "one mark an item");
  const std::vector<std::uint32_t> popularity = histories_.popularity(catalogue);
  const double most = std::max(1u, popularity.empty() ? 0u : std::ranges::max(popularity));
  std::uint64_t longest = 0;
  for (std::uint32_t user = 0; user < histories_.users(); ++user) {
    const auto own = histories_.of({user});
    double rarity = 0.0;
    for (const ItemIndex item : own) rarity += 1.0 - static_cast<double>(popularity[item.value]) / most;
    rarity_.push_back(own.empty() ? 0.0 : rarity / static_cast<double>(own.size()));
    if (tells({user}, size_criterion.name)) longest = std::max<std::uint64_t>(longest, own.size());
  }
  if (options_.most_records == 0) options_.most_records = longest;
}

DeviceFacts HistoryFacts::of(UserIndex device) const {
  const auto own = histories_.of(device);
  DeviceFacts facts;
  facts.records = own.size();
  facts.most_records = options_.most_records;
  facts.of_class.assign(options_.classes.count(), 0);
  if (options_.classes.count() > 0)
    for (const ItemIndex item : own)
      for (const std::uint32_t one : options_.classes.of(item)) ++facts.of_class[one];
  if (!options_.marked.empty())
    for (const ItemIndex item : own) facts.marked += options_.marked[item.value] != 0 ? 1 : 0;
  facts.rarity = rarity_[device.value];
  facts.rounds_since = rounds_ - heard_until_[device.value];
  if (!options_.trust.empty()) facts.trust = options_.trust[device.value];
  return facts;
}

bool HistoryFacts::tells(UserIndex device, const char* criterion) const {
  return people_ == nullptr || people_->of(device).criteria.tells(criterion);
}

bool HistoryFacts::everybody_tells() const {
  const auto tells_all = [](const ConsentTerms& terms) {
    return std::ranges::all_of(all_criteria(),
                               [&](Criterion one) { return terms.criteria.tells(one->name); });
  };
  return people_ == nullptr || std::ranges::all_of(people_->kinds(), tells_all);
}

void HistoryFacts::note_round(std::uint32_t round, std::span<const UserIndex> cohort) {
  rounds_ = round + 1;
  for (const UserIndex device : cohort) heard_until_[device.value] = rounds_;
}

}  // namespace sotto::fed
