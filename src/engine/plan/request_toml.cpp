// TrainRequest as TOML: one visitor names every field once, for reading and for writing.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "engine/models/rating_models.h"
#include "engine/plan/model_fields.h"
#include "engine/plan/plan_owner.h"
#include "engine/plan/protection_fields.h"
#include "engine/plan/request.h"
#include "engine/plan/toml.h"

namespace sotto {

namespace {

// A switch that old plans do not have is written only where it is on.
template <class Visitor>
void visit_if_set(const char* section, const char* key, bool& value, Visitor& visit) {
  std::optional<bool> set = value ? std::optional(true) : std::nullopt;
  visit(section, key, set);
  value = set.value_or(false);
}

// Likewise a number where 0 is what old plans mean.
struct CountOrNone {
  std::uint32_t& count;
};

template <class Visitor>
void visit_knowledge(KnowledgeRequest& kg, Visitor& visit) {
  visit("kg", "paths", kg.paths);
  visit("kg", "links", kg.links);
  visit("kg", "predicates", kg.predicates);
  visit("kg", "include", kg.include);
  visit("kg", "exclude", kg.exclude);
  visit("kg", "depth", kg.depth);
  visit("kg", "min_items", kg.min_items);
  visit("kg", "broken", kg.broken);
  visit("kg", "objects", kg.objects);
  visit("kg", "fan_out", kg.fan_out);
  visit_if_set("kg", "only_known", kg.only_known, visit);
  visit_if_set("kg", "object_second", kg.object_second, visit);
  visit_if_set("kg", "labels", kg.labels, visit);
}

template <class Visitor>
void visit_contexts(ContextRequest& contexts, Visitor& visit) {
  visit("contexts", "of", contexts.of);
  visit("contexts", "people", contexts.people);
  visit("contexts", "interval_hours", contexts.interval_hours);
  visit("contexts", "interval_bins", contexts.interval_bins);
  visit_if_set("contexts", "interval_exact", contexts.interval_exact, visit);
  visit("contexts", "day", contexts.day);
  visit("contexts", "utc_offset", contexts.utc_offset);
}

// Networks and models of ratings have defaults of their own for what others have too.
template <class Visitor>
void visit_learning_rate(TrainRequest& r, Visitor& visit) {
  if (is_averaged(r.model))
    visit("model", "lr", r.averaged.rate);
  else if (facts_of(r.model).family == ModelFamily::network)
    visit("model", "lr", r.neural.learning_rate);
  else
    visit("model", "lr", takes_rating_steps(r.model) ? r.rating_lr : r.plan.fpl.learning_rate);
}

template <class Visitor>
void visit_fields(TrainRequest& r, Visitor& visit) {
  visit("", "seed", r.plan.seed);
  visit("data", "paths", r.data.paths);
  visit("data", "columns", r.data.columns);
  visit("data", "names", r.data.names);
  visit("data", "split_file", r.data.split_file);
  visit("data", "test", r.data.test);
  visit("data", "validation", r.data.validation);
  visit("data", "min_user", r.data.filter.min_user);
  visit("data", "core", r.data.filter.core);
  visit("data", "min_rating", r.data.filter.min_rating);
  visit("data", "rating_scale", r.data.rating_scale);
  visit("split", "rule", r.data.split.rule);
  visit("split", "validation_share", r.data.split.validation_share);
  CountOrNone most_test{r.data.split.most_test};
  visit("split", "most_test", most_test);
  visit_knowledge(r.data.kg, visit);
  visit_contexts(r.data.contexts, visit);
  visit("model", "name", r.model);
  visit("model", "factors", r.plan.fpl.factors);
  visit_learning_rate(r, visit);
  visit("model", "user_reg", r.user_reg);
  visit("model", "positive_reg", r.positive_reg);
  visit("model", "negative_reg", r.negative_reg);
  visit("model", "lambda", r.lambda);
  visit("model", "recency", r.recency);
  visit("model", "init_sd", r.plan.fpl.init_sd);
  visit("model", "epochs", r.plan.epochs);
  visit("model", "average_last", r.average_last);
  visit("model", "confidence", r.factors.confidence);
  visit("model", "reg_power", r.factors.reg_power);
  visit("model", "negatives",
        facts_of(r.model).family == ModelFamily::network ? r.neural.neumf.negatives : r.factors.negatives);
  visit("model", "max_trials", r.factors.max_trials);
  visit("federation", "cohort", r.plan.cohort);
  visit("federation", "triples", r.plan.triples);
  visit("federation", "local", r.local);
  visit("federation", "rounds_per_epoch", r.plan.rounds_per_epoch);
  visit("federation", "fixed_bits", r.plan.fixed.bits);
  visit("federation", "down_precision", r.plan.down);
  visit("federation", "server", r.factors.server);
  visit("federation", "server_lr", r.factors.server_lr);
  visit("federation", "beta1", r.factors.beta1);
  visit("federation", "beta2", r.factors.beta2);
  visit("federation", "wire", r.wire);
  visit("federation", "log_every", r.log_every);
  visit_protection(r, visit);
  visit_model_sections(r, visit);
  visit("early_stopping", "metric", r.early.metric);
  visit("early_stopping", "every", r.early.every);
  visit("early_stopping", "patience", r.early.patience);
  visit("evaluation", "cutoffs", r.cutoffs);
  visit("evaluation", "users", r.eval_users);
}

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

class TomlWriter {
 public:
  template <class T>
  void operator()(const char* section, const char* key, const T& value) {
    const std::string text = show(value);
    if (text.empty()) return;
    if (section_ != section) out_ += fmt::format("\n[{}]\n", section_ = section);
    out_ += fmt::format("{} = {}\n", key, text);
  }
  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  static std::string show(const std::string& value) { return value.empty() ? "" : quoted(value); }
  static std::string show(bool value) { return value ? "true" : "false"; }
  static std::string show(std::uint32_t value) { return fmt::format("{}", value); }
  static std::string show(std::uint64_t value) { return fmt::format("{}", value); }
  static std::string show(const CountOrNone& value) { return value.count == 0 ? "" : show(value.count); }
  static std::string show(int value) { return fmt::format("{}", value); }
  static std::string show(float value) { return fmt::format("{}", value); }
  static std::string show(double value) { return fmt::format("{}", value); }
  template <class T>
  static std::string show(const std::optional<T>& value) {
    return value ? show(*value) : "";
  }
  static std::string show(ModelKind value) { return quoted(to_string(value)); }
  static std::string show(LocalSteps value) { return quoted(to_string(value)); }
  static std::string show(RoundsPerEpoch value) { return quoted(to_string(value)); }
  // Plans from before there was a choice read the same.
  static std::string show(ModelPrecision value) {
    return value == ModelPrecision::f32 ? "" : quoted(to_string(value));
  }
  static std::string show(MaskKind value) { return quoted(to_string(value)); }
  static std::string show(Similarity value) { return quoted(to_string(value)); }
  static std::string show(FeatureWeights value) { return quoted(to_string(value)); }
  static std::string show(ProfileRule value) { return quoted(to_string(value)); }
  static std::string show(GainKind value) { return quoted(to_string(value)); }
  static std::string show(ServerStep value) { return quoted(to_string(value)); }
  static std::string show(MamlOrder value) { return quoted(to_string(value)); }
  static std::string show(Adapts value) { return quoted(to_string(value)); }
  static std::string show(QueryFrom value) { return quoted(to_string(value)); }
  static std::string show(SumKind value) { return quoted(to_string(value)); }
  static std::string show(const Across& value) { return quoted(to_string(value)); }
  static std::string show(const SplitRule& value) { return quoted(to_string(value)); }
  template <class T>
  static std::string show(const std::vector<T>& values) {
    if (values.empty()) return "";
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : ", ") + show(value);
    return "[" + text + "]";
  }

  std::string section_;
  std::string out_;
};

class TomlReader {
 public:
  TomlReader(const toml::table& root, std::string name) : root_(root), name_(std::move(name)) {}

  template <class T>
  void operator()(const char* section, const char* key, T& field) {
    known_[section].insert(key);
    const toml::node* node = find(section, key);
    if (node == nullptr || error_) return;
    if (const std::string wrong = take(*node, field); !wrong.empty()) refuse(*node, key, wrong);
  }
  // A key that sets other fields.
  [[nodiscard]] const toml::node* extra(const char* section, const char* key) {
    known_[section].insert(key);
    return find(section, key);
  }
  void refuse(const toml::node& node, const std::string& key, const std::string& wrong) {
    if (error_) return;
    const std::string where = name_.empty() ? "" : fmt::format("{}: ", place_of(node, name_));
    error_ = fail(Code::usage, fmt::format("{}{}: {}", where, key, wrong));
  }
  [[nodiscard]] Status result() {
    if (error_) return *error_;
    for (const auto& [section, node] : root_) {
      const std::string name(section.str());
      if (!node.is_table()) {
        if (!known_[""].contains(name)) refuse(node, name, "unknown key");
        continue;
      }
      if (!known_.contains(name)) refuse(node, "[" + name + "]", "unknown section");
      for (const auto& [key, value] : *node.as_table())
        if (!error_ && !known_[name].contains(std::string(key.str())))
          refuse(value, std::string(key.str()), "unknown key in [" + name + "]");
    }
    if (error_) return *error_;
    return Done{};
  }

 private:
  [[nodiscard]] const toml::node* find(const char* section, const char* key) const {
    if (*section == '\0') return root_.get(key);
    const toml::node* table = root_.get(section);
    return table != nullptr && table->is_table() ? table->as_table()->get(key) : nullptr;
  }

  // Each returns what is wrong, or nothing.
  static std::string take(const toml::node& node, std::string& field) {
    if (!node.is_string()) return "a string in quotes is needed";
    field = node.as_string()->get();
    return "";
  }
  static std::string take(const toml::node& node, bool& field) {
    if (!node.is_boolean()) return "true or false is needed";
    field = node.as_boolean()->get();
    return "";
  }
  template <class T>
  requires std::is_integral_v<T>
  static std::string take(const toml::node& node, T& field) {
    if (!node.is_integer()) return "a whole number is needed";
    const std::int64_t value = node.as_integer()->get();
    if (value < 0 ||
        static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
      return fmt::format("{} is out of range", value);
    field = static_cast<T>(value);
    return "";
  }
  template <class T>
  requires std::is_floating_point_v<T>
  static std::string take(const toml::node& node, T& field) {
    const auto value = node.value<double>();
    if (!value) return "a number is needed";
    field = static_cast<T>(*value);
    return "";
  }
  static std::string take(const toml::node& node, CountOrNone& field) { return take(node, field.count); }
  template <class T>
  static std::string take(const toml::node& node, std::optional<T>& field) {
    return take(node, field.emplace());
  }
  template <class T, class Parse>
  static std::string take_named(const toml::node& node, T& field, Parse parse) {
    if (!node.is_string()) return "a string in quotes is needed";
    auto parsed = parse(node.as_string()->get());
    if (!parsed.ok()) return parsed.error().message;
    field = *parsed;
    return "";
  }
  static std::string take(const toml::node& node, ModelKind& field) {
    return take_named(node, field, parse_model);
  }
  static std::string take(const toml::node& node, LocalSteps& field) {
    return take_named(node, field, parse_local_steps);
  }
  static std::string take(const toml::node& node, RoundsPerEpoch& field) {
    return take_named(node, field, parse_rounds_per_epoch);
  }
  static std::string take(const toml::node& node, ModelPrecision& field) {
    return take_named(node, field, parse_model_precision);
  }
  static std::string take(const toml::node& node, MaskKind& field) {
    return take_named(node, field, parse_mask);
  }
  static std::string take(const toml::node& node, Similarity& field) {
    return take_named(node, field, parse_similarity);
  }
  static std::string take(const toml::node& node, FeatureWeights& field) {
    return take_named(node, field, parse_feature_weights);
  }
  static std::string take(const toml::node& node, ProfileRule& field) {
    return take_named(node, field, parse_profile_rule);
  }
  static std::string take(const toml::node& node, GainKind& field) {
    return take_named(node, field, parse_gain);
  }
  static std::string take(const toml::node& node, ServerStep& field) {
    return take_named(node, field, parse_server_step);
  }
  static std::string take(const toml::node& node, MamlOrder& field) {
    return take_named(node, field, parse_maml_order);
  }
  static std::string take(const toml::node& node, Adapts& field) {
    return take_named(node, field, parse_adapts);
  }
  static std::string take(const toml::node& node, QueryFrom& field) {
    return take_named(node, field, parse_query_from);
  }
  static std::string take(const toml::node& node, SumKind& field) {
    return take_named(node, field, parse_sum_kind);
  }
  static std::string take(const toml::node& node, Across& field) {
    return take_named(node, field, parse_across);
  }
  static std::string take(const toml::node& node, SplitRule& field) {
    return take_named(node, field, parse_split_rule);
  }
  template <class T>
  static std::string take(const toml::node& node, std::vector<T>& field) {
    if (!node.is_array()) return "a list in [ ] is needed";
    field.clear();
    for (const toml::node& entry : *node.as_array())
      if (const std::string wrong = take(entry, field.emplace_back()); !wrong.empty()) return wrong;
    return "";
  }

  const toml::table& root_;
  std::string name_;
  std::map<std::string, std::set<std::string>> known_;
  std::optional<Error> error_;
};

}  // namespace

std::string to_toml(const TrainRequest& request) {
  TomlWriter writer;
  TrainRequest copy = request;
  visit_fields(copy, writer);
  return std::move(writer).take();
}

Result<TrainRequest> from_table(const toml::table& table, const std::string& name, TrainRequest base) {
  TomlReader reader(table, name);
  if (const toml::node* variant = reader.extra("federation", "variant"); variant != nullptr) {
    const Status set = set_variant(base.plan, variant->value_or(std::string("(not a string)")));
    if (!set.ok()) reader.refuse(*variant, "variant", set.error().message);
  }
  visit_fields(base, reader);
  SOTTO_TRY_DONE(reader.result());
  return base;
}

Result<TrainRequest> from_toml(const std::string& text, const std::string& name, TrainRequest base) {
  SOTTO_TRY(const toml::table table, parse_toml(text, name));
  if (!name.empty()) SOTTO_TRY_DONE(check_owner(text, name, PlanOwner::train));
  return from_table(table, name, std::move(base));
}

std::set<std::string> keys_in(const std::string& section) {
  std::set<std::string> keys;
  const auto collect = [&](const char* in, const char* key, const auto& /*field*/) {
    if (section == in) keys.insert(key);
  };
  TrainRequest any;
  visit_fields(any, collect);
  return keys;
}

}  // namespace sotto
