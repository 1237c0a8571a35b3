// Studies of stored plans and what is varied of them: the targets of Fed-CARS and of criteria.
#include <fmt/core.h>

#include <algorithm>

#include "lab/reproduce/studies.h"

namespace sotto::lab {

namespace {

Result<TrainRequest> varied(const PlanPart& part, TrainRequest base) {
  if (!part) return base;
  return part(std::move(base));
}

// A model on its own plan: where nothing is drawn and the split is one, a seed is enough.
Result<std::vector<PlannedStudy>> table_studies(const Target& target, const PaperData& data, Effort effort) {
  PlannedStudy once = begin_study(target, data, effort, "nothing drawn");
  once.study.seeds = {1};
  PlannedStudy drawn = begin_study(target, data, effort, "drawn");
  for (const std::string& model : target.models) {
    const PaperPlan& plan = quick_plan(*target.paper, data.name, model);
    SOTTO_TRY(const TrainRequest request, request_of(*target.paper, plan));
    (plan.seeds > 1 || data.data.split.most_test > 0 ? drawn : once).add(model, request, {}, plan.seconds);
  }
  std::vector<PlannedStudy> studies;
  for (PlannedStudy* planned : {&drawn, &once})
    if (!planned->study.models.empty()) studies.push_back(std::move(*planned));
  return studies;
}

// Each choice of contexts is another split of the same data, and so a study of its own.
Result<std::vector<PlannedStudy>> context_studies(const Target& target, const PaperData& data,
                                                  Effort effort) {
  std::vector<PlannedStudy> studies;
  const Paper& paper = *target.paper;
  SOTTO_TRY(const std::vector<std::uint32_t> looks, curve_epochs(paper, data.name, effort));
  SOTTO_TRY(const TrainRequest plain, own_request(paper, data.name));
  const double seconds = quick_plan(paper, data.name, paper.own).seconds;
  for (const Variant* variant : variants_of(target, data.name, paper.own, effort)) {
    PlannedStudy planned = begin_study(target, data, effort, variant->label);
    TrainRequest base = plain;
    base.data = data.data;
    SOTTO_TRY(base, varied(variant->data, std::move(base)));
    ContextRequest& contexts = base.data.contexts;
    if (contexts.people.empty()) std::erase(contexts.of, "person");
    planned.study.datasets.front().data = base.data;
    SOTTO_TRY(TrainRequest request, varied(variant->plan, plain));
    const auto whole = static_cast<double>(std::max(1u, request.plan.epochs));
    for (auto epoch = looks.rbegin(); epoch != looks.rend(); ++epoch) {
      request.plan.epochs = *epoch;
      planned.add(curve_label(variant->label, *epoch), request, {}, seconds * (*epoch / whole));
    }
    studies.push_back(std::move(planned));
  }
  return studies;
}

}  // namespace

Result<TrainRequest> own_request(const Paper& paper, std::string_view dataset) {
  return request_of(paper, quick_plan(paper, dataset, paper.own));
}

Result<std::vector<std::uint32_t>> curve_epochs(const Paper& paper, std::string_view dataset, Effort effort) {
  SOTTO_TRY(const TrainRequest request, own_request(paper, dataset));
  std::vector<std::uint32_t> epochs =
      effort == Effort::quick ? std::vector<std::uint32_t>{5} : std::vector<std::uint32_t>{2, 5, 10, 15};
  std::erase_if(epochs, [&](std::uint32_t epoch) { return epoch >= request.plan.epochs; });
  epochs.push_back(request.plan.epochs);
  return epochs;
}

std::string curve_label(std::string_view variant, std::uint32_t epoch) {
  return fmt::format("{}, epoch {}", variant, epoch);
}

Result<std::vector<PlannedStudy>> cars_studies(const Target& target, const PaperData& data, Effort effort) {
  if (target.kind == TargetKind::cars_table) return table_studies(target, data, effort);
  if (target.kind == TargetKind::cars_contexts) return context_studies(target, data, effort);
  const Paper& paper = *target.paper;
  PlannedStudy planned = begin_study(target, data, effort, paper.own);
  SOTTO_TRY(const TrainRequest plain, own_request(paper, data.name));
  for (const Variant* variant : variants_of(target, data.name, paper.own, effort)) {
    SOTTO_TRY(const TrainRequest request, varied(variant->plan, plain));
    planned.add(variant->label, request, {}, quick_plan(paper, data.name, paper.own).seconds * variant->work);
  }
  std::vector<PlannedStudy> studies;
  studies.push_back(std::move(planned));
  return studies;
}

std::string criteria_label(std::string_view model, const Variant& variant) {
  return fmt::format("{}, {}", model, variant.label);
}

Result<std::vector<PlannedStudy>> criteria_studies(const Target& target, const PaperData& data,
                                                   Effort effort) {
  std::vector<PlannedStudy> studies;
  for (const std::string& model : target.models) {
    const PaperPlan* plan = find_plan(*target.paper, data.name, model);
    if (plan == nullptr) continue;  // without features there is no model that learns from them
    PlannedStudy planned = begin_study(target, data, effort, model);
    SOTTO_TRY(TrainRequest plain, request_of(*target.paper, *plan, effort));
    // What is known beside the ratings lies beside them.
    SOTTO_TRY_DONE(
        locate(std::filesystem::path(data.data.paths.front()).parent_path().parent_path(), plain.data));
    DataRequest& known = planned.study.datasets.front().data;
    if (!plain.data.paths.empty()) known.paths = plain.data.paths;
    known.names = plain.data.names;
    known.kg = plain.data.kg;
    known.split.validation_share = plain.data.split.validation_share;
    plain.data = {};
    for (const Variant* variant : variants_of(target, data.name, model, effort)) {
      SOTTO_TRY(const TrainRequest request, varied(variant->plan, plain));
      planned.add(criteria_label(model, *variant), request, {},
                  effort == Effort::quick ? plan->quick_seconds : plan->seconds);
    }
    studies.push_back(std::move(planned));
  }
  return studies;
}

}  // namespace sotto::lab
