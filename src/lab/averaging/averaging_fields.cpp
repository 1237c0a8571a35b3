// The settings of an AveragingRequest, each named once, and the request as TOML.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "engine/plan/plan_owner.h"
#include "engine/plan/shared_fields.h"
#include "engine/plan/toml.h"
#include "fed/criteria/example_facts.h"
#include "lab/averaging/averaging_request.h"
#include "storage/toml.h"

namespace sotto {

namespace {

using Request = AveragingRequest;

template <class T>
Status read_number(const std::string& name, const std::string& text, T& out) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return fail(Code::usage, fmt::format("{}: '{}' is not {}", name, text,
                                         std::is_integral_v<T> ? "a whole number from 0 up" : "a number"));
  out = value;
  return Done{};
}

template <class T>
Status read_list(const std::string& name, const std::string& text, std::vector<T>& out) {
  std::vector<T> values;
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    SOTTO_TRY_DONE(read_number(name, text.substr(from, to - from), values.emplace_back()));
    from = to + 1;
  }
  out = std::move(values);
  return Done{};
}

template <class T>
std::string list_text(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += fmt::format("{}{}", text.empty() ? "" : ",", value);
  return text;
}

// Collects the fields of one group.
class FieldList {
 public:
  void group(std::string name) { group_ = std::move(name); }
  // `member(request)` is the number.
  template <class Member>
  void number(const char* name, const char* type, const char* about, Member member) {
    add(
        name, type, about,
        [member](const Request& r) { return fmt::format("{}", member(const_cast<Request&>(r))); },
        [member, name](Request& r, const std::string& text) { return read_number(name, text, member(r)); });
  }
  template <class Member>
  void list(const char* name, const char* about, Member member) {
    add(
        name, "LIST", about,
        [member](const Request& r) { return list_text(member(const_cast<Request&>(r))); },
        [member, name](Request& r, const std::string& text) { return read_list(name, text, member(r)); });
  }
  // A word that `parse` knows.
  template <class Member, class Parse>
  void word(const char* name, const char* type, const char* about, Member member, Parse parse) {
    add(
        name, type, about,
        [member](const Request& r) { return std::string(to_string(member(const_cast<Request&>(r)))); },
        [member, parse](Request& r, const std::string& text) -> Status {
          SOTTO_TRY(member(r), parse(text));
          return Done{};
        });
  }
  template <class Member>
  void flag(const char* name, const char* about, Member member) {
    add(
        name, "", about,
        [member](const Request& r) {
          return std::string(member(const_cast<Request&>(r)) ? "true" : "false");
        },
        [member, name](Request& r, const std::string& text) -> Status {
          if (text != "true" && text != "false")
            return fail(Code::usage, fmt::format("{}: true or false is needed", name));
          member(r) = text == "true";
          return Done{};
        });
  }
  void add(const char* name, const char* type, const char* about,
           std::function<std::string(const Request&)> show,
           std::function<Status(Request&, const std::string&)> set) {
    fields_.push_back({name, type, group_, about, std::move(show), std::move(set)});
  }
  // The field that was added last says nothing where `when` holds.
  template <class When>
  void idle(When when, const char* why) {
    fields_.back().idle = [when, why](const Request& r) { return when(r) ? why : nullptr; };
  }
  [[nodiscard]] std::vector<AveragingField> take() && { return std::move(fields_); }

 private:
  std::string group_;
  std::vector<AveragingField> fields_;
};

void add_data_fields(FieldList& list) {
  const auto is_dealt = [](const Request& r) { return r.deal != DealKind::people; };
  list.group("Examples");
  list.add(
      "data", "DIR", "a folder with MNIST's idx files, or CelebA's lists of people and attributes",
      [](const Request& r) { return r.data; },
      [](Request& r, const std::string& text) -> Status { return r.data = text, Done{}; });
  list.flag("generate", "make examples up: small pictures of ten classes, or attributes with --deal people",
            [](Request& r) -> bool& { return r.generate; });
  list.number(
      "examples", "N", "examples to make up, a sixth of them for testing",
      [](Request & r) -> auto& { return r.examples; });
  list.idle([](const Request& r) { return !r.generate; },
            "is of examples that are made up: leave it out with --data; --most-examples takes some of a "
            "device's");
  list.word(
      "deal", "HOW", "iid, shards (two labels a device), or people (each holds their own)",
      [](Request & r) -> auto& { return r.deal; }, parse_deal_kind);
  list.number(
      "devices", "N", "devices that iid and shards deal to; 0: 100",
      [](Request & r) -> auto& { return r.devices; });
  list.idle([](const Request& r) { return r.deal == DealKind::people; },
            "is of iid and shards, and people hold their own examples, each on one device: leave it out; "
            "--most-devices takes some of them");
  list.number(
      "most-devices", "N", "only so many of the devices, drawn; 0: all",
      [](Request & r) -> auto& { return r.most_devices; });
  list.number(
      "most-examples", "N", "training examples of a device, drawn of its own; 0: all",
      [](Request & r) -> auto& { return r.most_examples; });
  list.number(
      "validation", "SHARE", "of a device's training examples, kept to choose by",
      [](Request & r) -> auto& { return r.validation; });
  list.number(
      "sample", "SHARE", "of people: the share of all examples that is used",
      [](Request & r) -> auto& { return r.people.sample_share; });
  list.idle(is_dealt, "is of people: choose --deal people, or leave it out");
  list.number(
      "least", "N", "of people: who has fewer examples is left out",
      [](Request & r) -> auto& { return r.people.least; });
  list.idle(is_dealt, "is of people: choose --deal people, or leave it out");
}

void add_model_fields(FieldList& list) {
  const auto is_dense = [](const Request& r) { return r.classifier.kind == ClassifierKind::dense; };
  list.group("Model and training");
  list.word(
      "model", "KIND", "cnn (minutes on a few cores) or dense (seconds)",
      [](Request & r) -> auto& { return r.classifier.kind; }, parse_classifier_kind);
  list.number(
      "filter", "N", "cnn: rows and columns of a filter",
      [](Request & r) -> auto& { return r.classifier.filter; });
  list.idle(is_dense, "is of the model cnn: choose it, or leave the filters out");
  list.list(
      "channels", "cnn: filters of each layer of them",
      [](Request & r) -> auto& { return r.classifier.channels; });
  list.idle(is_dense, "is of the model cnn: choose it, or leave the filters out");
  list.list(
      "hidden", "sizes of the dense layers before the last; empty: none",
      [](Request & r) -> auto& { return r.classifier.hidden; });
  list.word(
      "accelerator", "KIND", "where devices train: cpu or cuda",
      [](Request & r) -> auto& { return r.classifier.accelerator; }, parse_accelerator);
  list.number(
      "rounds", "N", "rounds of communication", [](Request & r) -> auto& { return r.rounds; });
  list.number(
      "cohort", "SHARE", "of the devices, in each round", [](Request & r) -> auto& { return r.plan.cohort; });
  list.number(
      "local-epochs", "N", "times a device goes through its examples in a round",
      [](Request & r) -> auto& { return r.plan.local.epochs; });
  list.number(
      "batch", "N", "examples of a local step; 0: all",
      [](Request & r) -> auto& { return r.plan.local.batch; });
  list.number(
      "lr", "RATE", "of the local steps", [](Request & r) -> auto& { return r.plan.local.rate; });
  list.number(
      "proximal", "MU", "pulls devices towards the model they received",
      [](Request & r) -> auto& { return r.plan.local.proximal; });
  list.word(
      "server", "STEP", "sgd, momentum or adam: how the server goes the devices' mean way",
      [](Request & r) -> auto& { return r.plan.server.step; }, parse_server_step);
  list.number(
      "server-lr", "RATE", "1 with sgd: the weighted mean of the devices' models",
      [](Request & r) -> auto& { return r.plan.server.rate; });
  list.number(
      "evaluate-every", "N", "rounds between two looks at the devices' test examples",
      [](Request & r) -> auto& { return r.evaluate_every; });
  list.add(
      "until", "GOAL", "stop when it is reached: 50%@95% is half of the devices at 95% accuracy",
      [](const Request& r) { return r.until ? to_string(*r.until) : ""; },
      [](Request& r, const std::string& text) -> Status {
        if (text.empty()) return r.until.reset(), Done{};
        SOTTO_TRY(r.until, parse_goal(text));
        return Done{};
      });
}

// An order by the thesis' short names, which is how people write them.
std::string order_text(const CriteriaOrder& order) {
  std::string text;
  for (const Criterion criterion : order)
    text += (text.empty() ? "" : ">") + std::string(criterion->short_name);
  return text;
}

void add_criteria_fields(FieldList& list) {
  list.group("Who counts how much");
  std::string names;
  for (const Criterion criterion : example_criteria())
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ", criterion->short_name, criterion->name);
  const std::string about =
      "criteria in order of priority, as 'DS>LD>MW': " + names + "; without any all devices count alike";
  list.add(
      "criteria", "ORDER", about.c_str(), [](const Request& r) { return order_text(r.criteria.order); },
      [](Request& r, const std::string& text) -> Status {
        if (text.empty()) return r.criteria.order.clear(), Done{};
        SOTTO_TRY(r.criteria.order, parse_order(text, example_criteria()));
        return Done{};
      });
  list.word(
      "score", "KIND", "how criteria become one number: prioritized, mean, owa or choquet",
      [](Request & r) -> auto& { return r.criteria.score.kind; }, parse_score_kind);
  const auto is_plain = [](const Request& r) { return !r.criteria.asked(); };
  list.idle(is_plain, "is of criteria: name them with --criteria, or leave it out");
  list.list(
      "score-weights",
      "of mean and owa: one a criterion; of choquet: one a set of them, as 0,0.5,0.3,1 for none, the first, "
      "the second and both",
      [](Request & r) -> auto& { return r.criteria.score.weights; });
  list.idle(is_plain, "is of criteria: name them with --criteria, or leave it out");
  list.flag("choose-order", "try other orders where the cohort's validation got worse, and keep the best",
            [](Request& r) -> bool& { return r.choose_order; });
}

std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A value of TOML as a flag would have it; none where it is a table.
std::optional<std::string> text_of(const toml::node& node) {
  if (node.is_string()) return node.as_string()->get();
  if (node.is_boolean()) return std::string(node.as_boolean()->get() ? "true" : "false");
  if (node.is_integer()) return fmt::format("{}", node.as_integer()->get());
  if (const auto number = node.value<double>()) return fmt::format("{}", *number);
  return std::nullopt;
}

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

// Numbers and switches stand without quotes.
bool is_bare(const AveragingField& field) {
  return field.type.empty() || field.type == "N" || field.type == "SHARE" || field.type == "RATE" ||
         field.type == "MU";
}

Error placed(const Error& error, const toml::node& node, const std::string& name) {
  return fail(Code::usage, fmt::format("{}: {}", place_of(node, name), error.message));
}

Status take_sum(const toml::node& node, const std::string& name, SumOptions& sum) {
  if (!node.is_table()) return fail(Code::usage, fmt::format("{}: [sum] is a section", place_of(node, name)));
  toml::table section;
  section.insert("sum", *node.as_table());
  TrainRequest like;  // sums are those of every training
  like.sum = sum;
  const auto read = from_table(section, "", std::move(like));
  if (!read.ok()) return placed(read.error(), node, name);
  sum = read->sum;
  return Done{};
}

}  // namespace

std::vector<AveragingField> averaging_fields() {
  FieldList list;
  add_data_fields(list);
  add_model_fields(list);
  add_criteria_fields(list);
  return std::move(list).take();
}

std::string to_toml(const AveragingRequest& request) {
  std::string out = fmt::format("seed = {}\n", request.plan.seed);
  for (const AveragingField& field : averaging_fields())
    out += fmt::format("{} = {}\n", key_of(field.name),
                       is_bare(field) ? field.show(request) : quoted(field.show(request)));
  TrainRequest like;
  like.sum = request.sum;
  out += "\n[sum]\n";
  for (const Field& field : fields::sum_fields())
    if (const auto value = field.get(like)) out += fmt::format("{} = {}\n", field.key(), to_text(*value));
  return out;
}

Result<AveragingRequest> averaging_from_toml(const std::string& text, const std::string& name,
                                             AveragingRequest base) {
  SOTTO_TRY(const toml::table table, parse_toml(text, name));
  SOTTO_TRY_DONE(check_owner(text, name, PlanOwner::fedavg));
  const std::vector<AveragingField> fields = averaging_fields();
  for (const auto& [key, node] : table) {
    const std::string word(key.str());
    if (word == "sum") {
      SOTTO_TRY_DONE(take_sum(node, name, base.sum));
      continue;
    }
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const AveragingField& field) { return key_of(field.name) == word; });
    const auto value = text_of(node);
    if (word != "seed" && found == fields.end())
      return fail(Code::usage, fmt::format("{}: unknown key {}", place_of(node, name), word));
    if (!value) return fail(Code::usage, fmt::format("{}: {} is one value", place_of(node, name), word));
    const Status set =
        word == "seed" ? read_number("seed", *value, base.plan.seed) : found->set(base, *value);
    if (!set.ok()) return placed(set.error(), node, name);
  }
  return base;
}

}  // namespace sotto
