#include "cli/train_flags.h"

#include <fmt/format.h>

#include "cli/consent_flags.h"
#include "cli/content_flags.h"
#include "cli/context_flags.h"
#include "cli/criteria_flags.h"
#include "cli/dp_flags.h"
#include "cli/fedcars_flags.h"
#include "cli/kg_flags.h"
#include "cli/kgflex_flags.h"
#include "cli/network_flags.h"
#include "cli/robust_flags.h"
#include "cli/sum_flags.h"
#include "engine/files/files.h"
#include "engine/models/averaged_networks.h"

namespace sotto {

namespace {

// The default of a number, for the help.
template <class T>
std::string shown(const T& value) {
  return fmt::format("{}", value);
}

void add_model_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const TrainRequest defaults;
  const FplOptions& fpl = defaults.plan.fpl;
  const auto number = [&](const char* name, const char* help, auto member) {
    using Value = std::remove_reference_t<decltype(member(std::declval<TrainRequest&>()))>;
    TrainRequest sample;
    return add_edit<Value>(app, edits, name, help,
                           [member](TrainRequest& request, const Value& value) { member(request) = value; })
        ->type_name("N")
        ->default_str(shown(member(sample)))
        ->group("Model");
  };
  add_edit<std::string>(app, edits, "--model", model_names(),
                        [](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(request.model, parse_model(value));
                          return Done{};
                        })
      ->type_name("NAME")
      ->default_str(to_string(defaults.model))
      ->group("Model");
  number("--factors", "length of the vectors",
         [](TrainRequest& r) -> std::uint32_t& { return r.plan.fpl.factors; });
  add_edit<float>(app, edits, "--lr", "learning rate α",
                  [](TrainRequest& request, const float& value) {
                    request.plan.fpl.learning_rate = request.neural.learning_rate = request.rating_lr = value;
                    request.averaged.rate = value;
                  })
      ->type_name("N")
      ->default_str(fmt::format("{}; multvae, neumf {}; fedmultvae {}, fedneumf {}; biasedmf, svdpp {}",
                                fpl.learning_rate, defaults.neural.learning_rate,
                                usual_rates(ModelKind::fedmultvae).device,
                                usual_rates(ModelKind::fedneumf).device, defaults.rating_lr))
      ->group("Model");
  number("--epochs", "epochs", [](TrainRequest& r) -> std::uint32_t& { return r.plan.epochs; });
  number("--average-last",
         "the model is the mean of those after the last N epochs; 0: the last alone (fpl, bprmf)",
         [](TrainRequest& r) -> std::uint32_t& { return r.average_last; });
  const auto regulariser = [&](const char* name, const char* help, auto member) {
    add_edit<float>(app, edits, name, help,
                    [member](TrainRequest& request, const float& value) { request.*member = value; })
        ->type_name("L")
        ->group("Model");
  };
  regulariser("--user-reg", "λ of user vectors; default lr/20, kgflex 0", &TrainRequest::user_reg);
  regulariser("--positive-reg", "λ of consumed items; default lr/20, of kgflex's features 0",
              &TrainRequest::positive_reg);
  regulariser("--negative-reg", "λ of other items; default lr/200", &TrainRequest::negative_reg);
  add_edit<float>(app, edits, "--init-sd", "standard deviation of the starting vectors",
                  [](TrainRequest& request, const float& value) { request.plan.fpl.init_sd = value; })
      ->type_name("SD")
      ->default_str(shown(fpl.init_sd))
      ->group("Model");
}

void add_item_model_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto number = [&](const char* name, const char* help, auto member) {
    using Value = std::remove_reference_t<decltype(member(std::declval<TrainRequest&>()))>;
    TrainRequest sample;
    add_edit<Value>(app, edits, name, help,
                    [member](TrainRequest& request, const Value& value) { member(request) = value; })
        ->type_name("N")
        ->default_str(shown(member(sample)))
        ->group("Item-item models and kNN");
  };
  number("--neighbors",
         "neighbours (userknn, itemknn, uknn-ratings, iknn-ratings), weights kept an item (slim, rp3beta)",
         [](TrainRequest& r) -> std::uint32_t& { return r.knn.neighbors; });
  number("--shrink", "shrinkage of the likeness (userknn, itemknn, uknn-ratings, iknn-ratings)",
         [](TrainRequest& r) -> float& { return r.knn.shrink; });
  add_edit<std::string>(app, edits, "--similarity",
                        "cosine, jaccard or pearson (userknn, itemknn, uknn-ratings, iknn-ratings)",
                        [](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(request.knn.similarity, parse_similarity(value));
                          return Done{};
                        })
      ->type_name("NAME")
      ->default_str(to_string(KnnOptions{}.similarity))
      ->group("Item-item models and kNN");
  number("--l1", "weight of |w|₁ (slim)", [](TrainRequest& r) -> float& { return r.linear.l1; });
  app.add_flag_callback(
         "--negative-weights",
         [&edits] {
           edits.push_back([](TrainRequest& request) -> Status {
             request.linear.non_negative = false;
             return Done{};
           });
         },
         "let weights be negative (slim)")
      ->group("Item-item models and kNN");
  number("--alpha", "how much long histories and popular starts are damped (rp3beta)",
         [](TrainRequest& r) -> float& { return r.linear.alpha; });
  number("--beta", "how much popular ends are damped (rp3beta)",
         [](TrainRequest& r) -> float& { return r.linear.beta; });
  number("--gram-power", "somebody with n items counts n^-N in the sum (fedease)",
         [](TrainRequest& r) -> float& { return r.linear.gram_power; });
  number("--recency",
         "half-life in items: what is older counts less for the list (item-item models; needs times)",
         [](TrainRequest& r) -> float& { return r.recency; });
  number("--dense-items", "the most items that are solved as one matrix (ease, fedease)",
         [](TrainRequest& r) -> std::uint32_t& { return r.linear.dense_items; });
}

void add_factor_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const auto add = [&]<class Value>(const char* name, const char* type, const char* help,
                                    const std::string& standard, Value, auto member) {
    auto* option =
        add_edit<Value>(app, edits, name, help,
                        [member](TrainRequest& request, const Value& value) { member(request) = value; });
    option->type_name(type)->group("Model");
    if (!standard.empty()) option->default_str(standard);
  };
  const FactorRequest defaults;
  add(
      "--lambda", "L", "weight of the squared lengths in the loss; the default is the model's own", "", 0.0f,
      [](TrainRequest & r) -> auto& { return r.lambda; });
  add(
      "--confidence", "A", "α: a consumed item weighs 1 + α (ials, fedals, fcf)", "", 0.0f,
      [](TrainRequest & r) -> auto& { return r.factors.confidence; });
  add(
      "--reg-power", "V", "λ times (α · interactions + all)^V (ials, fedals); 0: one λ for all",
      shown(defaults.reg_power), 0.0f, [](TrainRequest & r) -> auto& { return r.factors.reg_power; });
  add_edit<std::uint32_t>(app, edits, "--negatives", "items drawn for each consumed one (mf, neumf)",
                          [](TrainRequest& request, const std::uint32_t& value) {
                            request.factors.negatives = request.neural.neumf.negatives = value;
                          })
      ->type_name("N")
      ->default_str(fmt::format("{}; neumf {}", defaults.negatives, NeuMfOptions{}.negatives))
      ->group("Model");
  add(
      "--max-trials", "N", "draws before a step is given up (warp)", shown(defaults.max_trials),
      std::uint32_t{}, [](TrainRequest & r) -> auto& { return r.factors.max_trials; });
  add_edit<std::string>(app, edits, "--server",
                        "the server's step by what devices sent (fcf, kgflex, fedcars, fedmultvae, "
                        "fedneumf): adam, sgd or momentum",
                        [](TrainRequest& request, const std::string& value) -> Status {
                          SOTTO_TRY(request.factors.server, parse_server_step(value));
                          return Done{};
                        })
      ->type_name("KIND")
      ->default_str("adam; kgflex sgd")
      ->group("Federation");
  const auto server = [&](const char* name, const char* help, const std::string& standard, auto member) {
    auto* option =
        add_edit<float>(app, edits, name, help,
                        [member](TrainRequest& request, const float& value) { member(request) = value; });
    option->type_name("N")->group("Federation");
    if (!standard.empty()) option->default_str(standard);
  };
  server(
      "--server-lr", "learning rate of that step; the default is the step's own", "",
      [](TrainRequest & r) -> auto& { return r.factors.server_lr; });
  server(
      "--beta1", "Adam's decay of the mean", shown(defaults.beta1),
      [](TrainRequest & r) -> auto& { return r.factors.beta1; });
  server(
      "--beta2", "Adam's decay of the squares", shown(defaults.beta2),
      [](TrainRequest & r) -> auto& { return r.factors.beta2; });
}

void add_wire_flag(CLI::App& app, Edits<TrainRequest>& edits) {
  app.add_flag_callback(
         "--wire",
         [&edits] {
           edits.push_back([](TrainRequest& request) -> Status {
             request.wire = true;
             return Done{};
           });
         },
         "encode and decode every message, as a network would: slow, the same model")
      ->group("Federation");
}

void add_federation_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  const TrainRequest defaults;
  const auto named = [&](const char* name, const char* type, const char* help, const std::string& standard,
                         auto set) {
    add_edit<std::string>(app, edits, name, help, set)
        ->type_name(type)
        ->default_str(standard)
        ->group("Federation");
  };
  named("--variant", "NAME", "sfpl, sfpl+, pfpl or pfpl+: sets --cohort and --triples",
        variant_of(defaults.plan),
        [](TrainRequest& request, const std::string& value) { return set_variant(request.plan, value); });
  add_edit<double>(app, edits, "--cohort", "share of the users in a round; 0: exactly one user",
                   [](TrainRequest& request, const double& value) { request.plan.cohort = value; })
      ->type_name("SHARE")
      ->default_str(shown(defaults.plan.cohort))
      ->group("Federation");
  named("--triples", "T|mean", "triples a visit, T; mean: as many as the mean history has items", "mean",
        [](TrainRequest& request, const std::string& value) { return set_triples(request.plan, value); });
  add_edit<double>(app, edits, "--pi", "share π of what people consumed that may leave the device",
                   [](TrainRequest& request, const double& value) { request.plan.consent.pi = value; })
      ->type_name("P")
      ->default_str(shown(defaults.plan.consent.pi))
      ->group("Federation");
  named("--mask", "KIND", "redraw: decided at each update; sticky: once for each item",
        to_string(defaults.plan.consent.mask), [](TrainRequest& request, const std::string& value) -> Status {
          SOTTO_TRY(request.plan.consent.mask, parse_mask(value));
          return Done{};
        });
  named("--local", "KIND",
        "sequential: the vector moves after each triple; batch: once a visit (kgflex: batch)",
        to_string(defaults.plan.fpl.local), [](TrainRequest& request, const std::string& value) -> Status {
          SOTTO_TRY(request.local, parse_local_steps(value));
          return Done{};
        });
  named("--rounds-per-epoch", "RULE", "steps: as many triples as central BPR; exchanges: T times the work",
        to_string(defaults.plan.rounds_per_epoch),
        [](TrainRequest& request, const std::string& value) -> Status {
          SOTTO_TRY(request.plan.rounds_per_epoch, parse_rounds_per_epoch(value));
          return Done{};
        });
  named("--down-precision", "KIND", "how devices receive the model: f32, f16, or i8 with a scale a row (fpl)",
        to_string(defaults.plan.down), [](TrainRequest& request, const std::string& value) -> Status {
          SOTTO_TRY(request.plan.down, parse_model_precision(value));
          return Done{};
        });
  add_edit<int>(app, edits, "--fixed-bits", "binary places of the numbers that leave a device",
                [](TrainRequest& request, const int& value) { request.plan.fixed.bits = value; })
      ->type_name("N")
      ->default_str(shown(defaults.plan.fixed.bits))
      ->group("Federation");
  add_wire_flag(app, edits);
}

void add_judging_flags(CLI::App& app, Edits<TrainRequest>& edits) {
  constexpr std::uint32_t usual_patience = 5;
  using Cutoffs = std::vector<std::uint32_t>;
  add_edit<Cutoffs>(app, edits, "--cutoffs", "lengths of the judged lists, such as 1,10",
                    [](TrainRequest& request, const Cutoffs& value) { request.cutoffs = value; })
      ->delimiter(',')
      ->type_name("LIST")
      ->default_str("10")
      ->group("Judging");
  add_edit<std::uint32_t>(app, edits, "--eval-users", "judge a sample of so many users; 0: everybody",
                          [](TrainRequest& request, std::uint32_t value) { request.eval_users = value; })
      ->type_name("N")
      ->default_str("0")
      ->group("Judging");
  add_edit<std::string>(app, edits, "--early-stop",
                        "stop when this metric of the validation part gains no more, such as nDCG@10",
                        [](TrainRequest& request, const std::string& value) {
                          request.early.metric = value;
                          if (request.early.patience == 0) request.early.patience = usual_patience;
                        })
      ->type_name("METRIC")
      ->group("Judging");
  add_edit<std::uint32_t>(
      app, edits, "--patience", "looks without gain before it stops; default 5 with --early-stop",
      [](TrainRequest& request, const std::uint32_t& value) { request.early.patience = value; })
      ->type_name("N")
      ->group("Judging");
  add_edit<std::uint32_t>(
      app, edits, "--eval-every", "epochs between two looks",
      [](TrainRequest& request, const std::uint32_t& value) { request.early.every = value; })
      ->type_name("N")
      ->default_str(shown(EarlyStopping{}.every))
      ->group("Judging");
}

void add_run_flags(CLI::App& app, TrainFlags& flags) {
  app.add_option("-o,--out", flags.out, "a run directory, to be kept, shown and asked later")
      ->type_name("DIR")
      ->group("Run");
  app.add_option("--plan", flags.plan_file, "a TOML plan; flags win over it")
      ->type_name("FILE")
      ->group("Run");
  app.add_flag("--resume", flags.resume, "go on with the stopped run in --out")->group("Run");
  app.add_flag("--force", flags.force, "replace the run in --out")->group("Run");
  app.add_flag("-q,--quiet", flags.quiet, "no progress")->group("Run");
  app.add_option("--checkpoint-seconds", flags.checkpoint_seconds, "seconds between two checkpoints")
      ->type_name("S")
      ->default_str(shown(flags.checkpoint_seconds))
      ->group("Run");
  app.add_option("--keep-checkpoints", flags.keep_epochs,
                 "keep one every so many epochs, so that 'sotto forget' need not start anew; 0: none")
      ->type_name("EPOCHS")
      ->default_str("0")
      ->group("Run");
  app.add_option("--scratch", flags.scratch,
                 "keep the private rows of fpl in a file of this folder, for more users than memory holds")
      ->type_name("DIR")
      ->group("Run");
  app.add_option("--memory", flags.memory_gb, "refuse a plan that needs more; default: what is available")
      ->type_name("GB")
      ->group("Run");
  add_edit<std::uint32_t>(
      app, flags.request, "--log-every", "rounds a line of rounds.jsonl; 0: one, or more in long epochs",
      [](TrainRequest& request, const std::uint32_t& value) { request.log_every = value; })
      ->type_name("N")
      ->default_str("0")
      ->group("Run");
}

}  // namespace

void add_train_flags(CLI::App& app, TrainFlags& flags) {
  add_data_options(app, flags.data);
  add_kg_flags(app, flags.data);
  add_context_flags(app, flags.data);
  add_model_flags(app, flags.request);
  add_item_model_flags(app, flags.request);
  add_factor_flags(app, flags.request);
  add_network_flags(app, flags.request);
  add_content_flags(app, flags.request);
  add_kgflex_flags(app, flags.request);
  add_fedcars_flags(app, flags.request);
  add_federation_flags(app, flags.request);
  add_sum_flags(app, flags.request);
  add_dp_flags(app, flags.request);
  add_consent_flags(app, flags.request);
  add_robust_flags(app, flags.request);
  add_criteria_flags(app, flags.request);
  add_judging_flags(app, flags.request);
  add_run_flags(app, flags);
  add_common_options(app, flags.common, "of everything that is drawn: the same seed, the same model");
}

void add_plan_flags(CLI::App& app, TrainFlags& flags) {
  add_data_options(app, flags.data);
  add_model_flags(app, flags.request);
  add_federation_flags(app, flags.request);
  app.add_option("--plan", flags.plan_file, "a TOML plan; flags win over it")
      ->type_name("FILE")
      ->group("Run");
  app.add_flag("-q,--quiet", flags.quiet, "no progress")->group("Run");
}

Result<TrainRequest> request_from(const TrainFlags& flags, TrainRequest request) {
  if (!flags.plan_file.empty()) {
    SOTTO_TRY(const std::string text, read_text(flags.plan_file));
    SOTTO_TRY(request, from_toml(text, flags.plan_file, std::move(request)));
  }
  SOTTO_TRY_DONE(apply_edits(flags.data, request.data));
  SOTTO_TRY_DONE(apply_edits(flags.request, request));
  if (flags.common.seed_given) request.plan.seed = flags.common.seed;
  SOTTO_TRY_DONE(settle(request));
  return request;
}

}  // namespace sotto
