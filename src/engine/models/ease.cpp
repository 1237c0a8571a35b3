// EASE in one place, and federated EASE: from one sum of ease_pairs, or from two noisy ones (private_ease.h).
#include "engine/models/ease.h"

#include <algorithm>
#include <numeric>

#include "engine/models/all_models.h"
#include "engine/models/pair_weights.h"
#include "engine/models/private_ease.h"
#include "engine/plan/shared_fields.h"
#include "engine/protect/training_consent.h"
#include "engine/train/released_rows.h"
#include "engine/train/training.h"
#include "fed/weights_message.h"
#include "model/central/wide_ease.h"

namespace sotto::engine {

namespace {

EaseOptions ease_options(const TrainRequest& request) {
  return {.lambda = request.lambda.value_or(EaseOptions{}.lambda),
          .most_items = request.model.own<EaseSettings>().dense_items,
          .recency = request.recency};
}

Status check_ease(const TrainRequest& request) {
  const EaseSettings& own = request.model.own<EaseSettings>();
  if (own.dense_items == 0 || own.dense_items > 46'340)
    return fail(Code::usage, "dense-items must be a number from 1 to 46340");
  if (!(own.gram_power >= 0.0f && own.gram_power <= 2.0f))
    return fail(Code::usage, "gram-power must be a number from 0 (everybody counts 1) to 2");
  return check(ease_options(request));
}

// By way of the people: more items than one matrix may have, and fewer people.
bool is_wide(const TrainRequest& request, std::size_t users, std::size_t catalogue) {
  return catalogue > request.model.own<EaseSettings>().dense_items && users < catalogue;
}

Result<DirectModel> make_ease(const TrainRequest& request, const Split& split, Executor& executor) {
  const EaseOptions options = ease_options(request);
  if (is_wide(request, split.train.users(), split.catalogue))
    return direct(WideEase::fit(split.train, split.catalogue, options, executor));
  if (split.catalogue <= options.most_items)
    return direct(Ease::fit(split.train, split.catalogue, options, executor));
  const Audiences audiences(split.train, split.catalogue);
  const HistoryPairs ease_pairs(split.train, audiences, PersonWeight());
  return direct(Ease::solve(ease_pairs, split.train, options, executor));
}

PersonWeight ease_weight(const TrainRequest& request) {
  return PersonWeight(request.model.own<EaseSettings>().gram_power);
}

Result<DirectModel> solve_ease(const PairRound& round, const TrainRequest& request, const Split& split,
                               Executor& executor) {
  DirectModel made{.model = nullptr, .totals = round.report};
  EaseOptions options = ease_options(request);
  // Whom no pair was summed of is not in the matrix.
  options.most_items = std::min<std::size_t>(options.most_items, request.pairs.items.value_or(UINT32_MAX));
  SOTTO_TRY(auto model, Ease::solve(round.sum, split.train, options, executor));
  made.totals.bytes_down =
      encoded_model_bytes(model->solved().size(), model->solved().size()) * made.totals.exchanges;
  made.model = std::move(model);
  return made;
}

constexpr PairModel ease_pairs{ease_weight, solve_ease};

Result<DirectModel> make_fedease(const TrainRequest& request, const Split& split, Executor& executor) {
  if (!request.dp.asked()) return make_of_pairs(request, split, executor);
  SOTTO_TRY(const TrainRequest consented, with_people(request, split));
  return make_private_ease(consented, split, ease_options(request), executor);
}

// What was published has a number for every two items; of popular items alone, each one's number in front.
Result<Parameters> square_of(const ReleasedRows& released, const TrainRequest& /*request*/,
                             const Split& /*split*/, Executor& /*executor*/) {
  const RowMatrix& rows = released.rows;
  const std::vector<std::uint32_t>& at = released.item_at;
  const std::size_t front = released.task.parts() == 1 ? 0 : 1;
  std::vector<std::uint32_t> items(at.size()), places = at;  // of the data's items, and where each is
  std::iota(items.begin(), items.end(), 0u);
  if (front == 1) {
    SOTTO_TRY(const KeptItems kept, kept_in(rows, released.task.items));
    const auto place = [&](std::uint32_t item) {
      return at[item] == no_row ? KeptItems::nowhere : kept.place(at[item]);
    };
    std::erase_if(items, [&](std::uint32_t item) { return place(item) == KeptItems::nowhere; });
    places.clear();
    for (const std::uint32_t item : items) places.push_back(place(item));
  }
  // Where the data have none of them: one row of zeros, as of a version that no round has made yet.
  const std::size_t size = std::max<std::size_t>(items.size(), 1);
  Parameters made{.items = RowMatrix(size, front + size), .users = {}};
  for (std::size_t row = 0; row < items.size(); ++row) {
    float* out = made.items.row(row);
    if (front == 1) out[0] = static_cast<float>(items[row]);
    for (std::size_t k = 0; k < items.size(); ++k)
      if (places[row] != no_row && places[k] != no_row)
        out[front + k] = rows.row(places[row])[front + places[k]];
  }
  return made;
}

Result<std::unique_ptr<Recommender>> view_square(const TrainRequest& request, const Split& split,
                                                 const RowsView& rows, Executor& /*executor*/) {
  const auto view = [&](std::vector<std::uint32_t> items) {
    return std::unique_ptr<Recommender>(
        Ease::of_rows(rows.items, std::move(items), split.catalogue, split.train, request.recency));
  };
  const MatrixShape shape = shape_of(rows.items);
  if (shape.rows <= split.catalogue && shape.width == shape.rows + 1) {
    SOTTO_TRY(const KeptItems kept, kept_in(rows.items, split.catalogue));
    return view(kept.items());
  }
  if (shape != MatrixShape{split.catalogue, split.catalogue})
    return fail(Code::bad_input, "the model is not of the run's items: export it again");
  std::vector<std::uint32_t> all(split.catalogue);
  std::iota(all.begin(), all.end(), 0u);
  return view(std::move(all));
}

// A matrix of doubles while it is solved, and a third of one beside; floats afterwards.
void add_matrix(double size, bool is_wide, std::vector<MemoryPart>& parts) {
  parts.push_back({"the matrix to solve", (8.0 * 4.0 / 3.0 + (is_wide ? 0.0 : 4.0)) * size * size});
}

double dense_size(const TrainRequest& request, const MemoryFacts& facts) {
  return std::min(static_cast<double>(facts.catalogue),
                  static_cast<double>(request.model.own<EaseSettings>().dense_items));
}

void add_ease_memory(const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
  const bool wide = is_wide(request, facts.users, facts.catalogue);
  add_audiences(facts, parts);
  add_matrix(wide ? static_cast<double>(facts.users) : dense_size(request, facts), wide, parts);
}

Field dense_items() {
  return fields::field({"linear.dense_items", "--dense-items", "N", "items to solve as one matrix, at most"},
                       fields::own(&EaseSettings::dense_items))
      .in_group("Model");
}

Field usual_lambda() {
  return fields::lambda(EaseOptions{}.lambda).with_tries({"30.0", "100.0", "300.0", "1000.0"});
}

Fields private_fields() {
  using namespace fields;
  const auto row = [](const char* key, const char* flag, const char* type, const char* help, auto member,
                      const char* standard) {
    return field(
               {std::string("dp.") + key, flag, type, help},
               [member](auto& request) -> auto& { return request.dp.*member; })
        .with_standard(standard)
        .in_group("Differential privacy");
  };
  return {
      row("items", "--dp-items", "N", "popular items whose pairs are released", &DpRequest::items, "400"),
      row("popularity_share", "--dp-popularity", "SHARE", "share of the budget for finding these items",
          &DpRequest::popularity_share, "0.03"),
      row("half_life", "--dp-half-life", "N", "half-life, in items, of what a person adds to the pairs",
          &DpRequest::half_life, "50"),
      with_commas(row("lambdas", "--dp-lambdas", "LIST",
                      "candidates for lambda: devices judge them on their validation parts, and one is "
                      "chosen privately, at a cost (--dp central)",
                      &DpRequest::lambdas, "")),
      row("choice_epsilon", "--dp-choice-epsilon", "E", "what that choice costs, as a part of --dp-epsilon",
          &DpRequest::choice_epsilon, "a tenth of it")};
}

}  // namespace

ModelEntry ease_entry() {
  return {.name = "ease",
          .title = "EASE",
          .about = "a linear item-item model, solved in one go (Steck 2019)",
          .draws = Draws::never,
          .fields = {usual_lambda(), fields::recency(), dense_items()},
          .own = EaseSettings{},
          .check = check_ease,
          .make = make_ease,
          .memory = add_ease_memory};
}

ModelEntry fedease_entry() {
  using namespace fields;
  return {
      .name = "fedease",
      .title = "Federated EASE",
      .about = "EASE from one sum of item pairs",
      .sends = Sends::pair_counts,
      .reveals = "which consented items occur together, once",
      .draws = Draws::if_protected,
      .fields = joined(
          {{usual_lambda(), recency(), dense_items(),
            field({"linear.gram_power", "--gram-power", "N", "a person with n items counts n^-N in the sum"},
                  own(&EaseSettings::gram_power))
                .in_group("Model"),
            wire()},
           pair_fields(),
           federated_fields(),
           noise_fields(),
           private_fields()}),
      .own = EaseSettings{},
      .check = check_ease,
      .make = make_fedease,
      .view = view_square,
      .of_rows = square_of,
      .memory =
          [](const TrainRequest& request, const MemoryFacts& facts, std::vector<MemoryPart>& parts) {
            add_pair_sums(request, facts, parts);
            add_matrix(std::min(dense_size(request, facts), summed_items(request, facts)), false, parts);
          },
      .pairs = &ease_pairs};
}

}  // namespace sotto::engine
