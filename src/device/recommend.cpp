#include "device/recommend.h"

#include <fmt/core.h>

#include <algorithm>

#include "device/round_work.h"
#include "fed/models/row_answers.h"
#include "fed/wire/device_fit.h"
#include "metrics/top_k.h"

namespace sotto::device {

Result<LocalRecommender> LocalRecommender::load(DeviceStore& kept, const std::string& task) {
  LocalRecommender made;
  made.known_ = std::make_unique<Known>();
  Known& known = *made.known_;
  SOTTO_TRY(static_cast<HeldTask&>(known), HeldTask::load(kept, task));
  SOTTO_TRY(const std::vector<KeptInteraction> all, kept.interactions());
  SOTTO_TRY(const Attributes said, kept.attributes());
  OwnHistory own = own_history(all, said, known.catalogue.get(), known.task);
  std::vector<std::uint64_t> offsets{0, own.items.size()};
  known.history = Histories(std::move(offsets), std::move(own.items), std::move(own.ages));
  SOTTO_TRY(known.own, kept.own_row(task));
  SOTTO_TRY(known.streams, streams_of(kept, known.task));
  SOTTO_TRY(const ConsentTerms terms, terms_here(kept, known.names()));
  known.task = persons_task(std::move(known.task), known.streams, terms);
  const PersonView view{known.task,           known.model->rows,
                        known.history,        known.own ? &*known.own : nullptr,
                        std::move(own.known), known.streams};
  // A model that was kept when there was one kind of them names none.
  SOTTO_TRY(made.answers_,
            known.task.model != nullptr ? known.task.model->answers(view) : answers_of_state(view));
  return made;
}

// Where a rule cannot be put into the catalogue's numbers, nothing is learned from here.
Result<ConsentTerms> LocalRecommender::terms_here(DeviceStore& kept, const ItemNames& names) {
  SOTTO_TRY(const PersonalPolicy policy, kept.policy());
  auto terms = terms_of(policy, names.catalogue, names.items);
  return terms.ok() ? std::move(*terms) : ConsentTerms{.takes_part = false};
}

std::vector<Recommended> LocalRecommender::top(std::size_t count) const {
  std::vector<float> scores(known_->task.items);
  answers_->score(scores);
  std::vector<Recommended> best;
  for (const ScoredItem& one : top_items(std::move(scores), known_->history.items(), count))
    best.push_back({.item = known_->names().name_of(one.item),
                    .title = known_->names().title_of(one.item),
                    .score = one.score});
  return best;
}

Result<Explanation> LocalRecommender::explain(const std::string& item, std::size_t most) const {
  const auto row = known_->names().find(item);
  if (!row) return fail(Code::not_found, "the model knows no item of this name");
  ScoreReasons reasons = answers_->reasons(*row);
  Explanation explanation{.item = item,
                          .title = known_->names().title_of(*row),
                          .score = reasons.score,
                          .bias = reasons.common,
                          .personal = reasons.score - reasons.common,
                          .has_it = std::ranges::binary_search(known_->history.items(), *row),
                          .because = {},
                          .by_items = reasons.by_items};
  std::ranges::stable_sort(reasons.because, std::ranges::greater(), &ScoreReason::weight);
  if (reasons.because.size() > most) reasons.because.resize(most);
  for (const ScoreReason& one : reasons.because) {
    const bool is_feature = !one.feature.empty();
    explanation.because.push_back({.item = is_feature ? one.feature : known_->names().name_of(one.item),
                                   .title = is_feature ? one.feature : known_->names().title_of(one.item),
                                   .likeness = one.likeness,
                                   .weight = one.weight,
                                   .is_feature = is_feature});
  }
  return explanation;
}

std::string in_words(const Explanation& explanation) {
  std::string text = fmt::format("'{}' has the score {:.3f}", explanation.title, explanation.score);
  text += explanation.by_items
              ? fmt::format(
                    ": {:+.3f} from what all devices together learned about it, {:+.3f} from what "
                    "this device knows of you.\n",
                    explanation.bias, explanation.personal)
              : ". A network reckons it from all that this device knows of you together: what each thing "
                "you have adds to it cannot be said.\n";
  if (explanation.has_it) text += "You have it already, so it is not recommended.\n";
  if (!explanation.by_items) return text;
  if (explanation.because.empty())
    return text +
           "None of the things you have lies near it: it is there for what everybody likes, or by "
           "chance.\n";
  if (explanation.because.front().is_feature) {
    text += "Of what it is, these weigh most with you:\n";
    for (const NearItem& one : explanation.because)
      text += fmt::format("  {}  (you care {:.3f}, it adds {:.3f})\n", one.title, one.likeness, one.weight);
    return text + "How much you care was reckoned here, from what you have; it does not leave this device.\n";
  }
  text += "Of the things you have, these lie nearest to it in the model and weigh most with you:\n";
  for (const NearItem& near : explanation.because)
    text += fmt::format("  {}  (likeness {:.2f}, weight {:.3f})\n", near.title, near.likeness, near.weight);
  return text + "Likeness is the model's, learned from who has what; it is a hint, not a proof of cause.\n";
}

}  // namespace sotto::device
