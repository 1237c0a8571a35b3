#include "engine/models/all_models.h"

#include <algorithm>
#include <array>

#include "engine/plan/shared_fields.h"

namespace sotto::engine {

namespace {

// Where a section stands in a plan; what is a model's own comes between.
std::size_t place_of_section(const std::string& section) {
  constexpr std::array first{"",           "data",    "split", "kg", "contexts", "model",
                             "federation", "consent", "sum",   "dp", "criteria", "robust"};
  constexpr std::array last{"early_stopping", "evaluation"};
  if (const auto at = std::ranges::find(first, section); at != first.end())
    return static_cast<std::size_t>(at - first.begin());
  if (const auto at = std::ranges::find(last, section); at != last.end())
    return first.size() + 1 + static_cast<std::size_t>(at - last.begin());
  return first.size();
}

Field name_field(const ModelEntry& entry) {
  Field field{.path = "model.name",
              .flag = "--model",
              .type = "NAME",
              .help = "the model: 'sotto models' lists them",
              .group = "Model"};
  field.get = [name = entry.name](const TrainRequest&) { return std::optional(PlanValue{{name}}); };
  field.common = true;
  return field;
}

std::vector<ModelEntry> completed(std::vector<ModelEntry> entries) {
  std::vector<std::string> names;
  for (const ModelEntry& entry : entries) names.push_back(entry.name);
  for (ModelEntry& entry : entries) {
    Field name = name_field(entry);
    name.values = names;
    entry.fields = joined({entry.needs_examples ? Fields{fields::seed()} : fields::common_fields(),
                           {std::move(name)},
                           std::move(entry.fields),
                           entry.start != nullptr ? fields::step_fields() : Fields{}});
    // A model's own sections in the order in which it names them.
    std::vector<std::string> own;
    for (const Field& field : entry.fields)
      if (std::ranges::find(own, field.section()) == own.end()) own.push_back(field.section());
    std::ranges::stable_sort(entry.fields, {}, [&](const Field& field) {
      return std::pair(place_of_section(field.section()),
                       std::ranges::find(own, field.section()) - own.begin());
    });
  }
  return entries;
}

}  // namespace

const std::vector<ModelEntry>& all_models() {
  static const std::vector<ModelEntry> entries = completed({fpl_entry(),
                                                            bprmf_entry(),
                                                            ials_entry(),
                                                            fedals_entry(),
                                                            fcf_entry(),
                                                            warp_entry(),
                                                            mf_entry(),
                                                            toppop_entry(),
                                                            random_entry(),
                                                            userknn_entry(),
                                                            itemknn_entry(),
                                                            ease_entry(),
                                                            slim_entry(),
                                                            rp3beta_entry(),
                                                            fedease_entry(),
                                                            feditemknn_entry(),
                                                            fedrp3beta_entry(),
                                                            multvae_entry(),
                                                            neumf_entry(),
                                                            fedmultvae_entry(),
                                                            fedneumf_entry(),
                                                            kgflex_entry(),
                                                            kgflex_central_entry(),
                                                            vsm_entry(),
                                                            kahfm_entry(),
                                                            fedcars_entry(),
                                                            globalmean_entry(),
                                                            usermean_entry(),
                                                            itemmean_entry(),
                                                            toppop_ratings_entry(),
                                                            baseline_entry(),
                                                            uknn_ratings_entry(),
                                                            iknn_ratings_entry(),
                                                            biasedmf_entry(),
                                                            nmf_entry(),
                                                            svdpp_entry(),
                                                            paco_entry(),
                                                            fedavg_entry()});
  return entries;
}

}  // namespace sotto::engine
