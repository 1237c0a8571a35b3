#include "lab/forget_figures.h"

#include <algorithm>

#include "engine/protect/training_consent.h"
#include "model/mf_recommender.h"
#include "privacy/audit/leak_figures.h"

namespace sotto::lab {

namespace {

double auc_with(const RowMatrix& vector, const RowMatrix& items, std::span<const ItemIndex> history) {
  std::vector<float> scores(items.rows());
  MfRecommender(&vector, &items, {}).score_vector(vector, scores);
  return judge_ranking(scores, history).auc;
}

double auc_by_popularity(const Histories& others, std::size_t catalogue, std::span<const ItemIndex> history) {
  std::vector<float> counts(catalogue, 0.0f);
  for (std::uint32_t user = 0; user < others.users(); ++user)
    for (const ItemIndex item : others.of({user})) counts[item.value] += 1.0f;
  return judge_ranking(counts, history).auc;
}

}  // namespace

Result<std::optional<LeftOfPerson>> left_of_person(const ForgetRequest& asked, const Split& split,
                                                   const Parameters& before, const Forgotten& forgotten) {
  SOTTO_ASSERT(forgotten.retrained.has_value(), "the forgetting was checked");
  SOTTO_TRY(const TrainRequest whole, with_people(asked.request, split));
  const auto history = split.train.of(asked.user);
  if (!whole.model->has_user_rows || !forgotten.first_round || !takes_part(whole.plan.consent, asked.user) ||
      history.empty() || history.size() >= split.catalogue)
    return std::optional<LeftOfPerson>();
  const RowMatrix& devices = before.users.on_device();
  RowMatrix vector(1, devices.width());
  std::copy_n(devices.row(asked.user.value), devices.stride(), vector.row(0));
  return std::optional(
      LeftOfPerson{.before = auc_with(vector, before.items, history),
                   .after = auc_with(vector, forgotten.trained.parameters->items, history),
                   .retrain = auc_with(vector, forgotten.retrained->parameters->items, history),
                   .popularity = auc_by_popularity(forgotten.split->train, split.catalogue, history)});
}

Result<std::vector<OthersFigure>> others_figures(const Recommender& before, const Forgotten& forgotten,
                                                 Executor& executor) {
  const Split& others = *forgotten.split;
  EvaluateOptions options = evaluate_options(forgotten.request, others, Part::test);
  options.cutoffs = {10};
  SOTTO_TRY(const Evaluation old, evaluate(before, others, options, executor));
  SOTTO_TRY(const Evaluation now, evaluate(*forgotten.trained.model, others, options, executor));
  std::vector<OthersFigure> figures;
  for (const char* metric : {"P@10", "nDCG@10"})
    figures.push_back({metric, *old.find(metric), *now.find(metric)});
  return figures;
}

}  // namespace sotto::lab
