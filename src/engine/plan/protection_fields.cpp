// The rows of what protects people in federated models: [consent], [sum], [dp], [criteria] and [robust].
#include "engine/files/files.h"
#include "engine/plan/shared_fields.h"
#include "fed/criteria/criterion.h"

namespace sotto::engine::fields {

namespace {

// Rows of one group whose values lie in one part of a request.
template <class Part>
struct Rows {
  Part TrainRequest::*part;
  const char* section;
  const char* group;

  template <class T>
  [[nodiscard]] Field row(const char* key, const char* flag, const char* type, const std::string& help,
                          T Part::*member, const char* standard = "") const {
    return field({std::string(section) + "." + key, flag, type, help}, at(member))
        .with_standard(standard)
        .in_group(group);
  }
  template <class T>
  [[nodiscard]] auto at(T Part::*member) const {
    return [ part = part, member ](auto& request) -> auto& { return request.*part.*member; };
  }
};

Status read_consent(TrainRequest& request, const std::string& path) {
  SOTTO_TRY(request.consent.policy, read_text(path));
  if (request.consent.policy.empty())
    return fail(Code::usage,
                fmt::format("{}: the consent policy is empty: write a level or a share into it, such as "
                            "level = \"balanced\", or leave --consent out",
                            path));
  request.consent.policy_name = path;
  return Done{};
}

Fields consent_fields() {
  const Rows<ConsentRequest> of{&TrainRequest::consent, "consent", "Consent"};
  Field policy = setter({"", "--consent", "FILE",
                         "a consent policy for everybody: share, rules for items and categories (and, for "
                         "models of --kg, features and predicates), contexts and history"},
                        read_consent)
                     .in_group("Consent");
  policy.is_file = true;
  return {
      field(
          {"consent.pi", "--pi", "P", "share π of what people consumed that may leave the device"},
          [](auto& request) -> auto& { return request.plan.consent.pi; })
          .with_tries({"0.1", "0.5", "1.0"})
          .in_group("Federation"),
      named({"consent.mask", "--mask", "KIND",
             "redraw: drawn at each update; round: once per item and round; sticky: once per item"},
            [](auto& request) -> auto& { return request.plan.consent.mask; }, parse_mask,
            {"redraw", "round", "sticky"})
          .in_group("Federation"),
      std::move(policy),
      of.row("policy", "", "TEXT", "the whole policy, for everybody", &ConsentRequest::policy),
      of.row("mix", "--consent-mix", "LIST",
             "levels that people draw from, such as open=0.3,balanced=0.4,careful=0.2,closed=0.1",
             &ConsentRequest::mix),
      of.row("udcp", "--udcp", "LIST",
             "protocols for contexts that people draw from, such as full=0.5,partial=0.3,none=0.2 "
             "(partial:0.3 sets another part than half)",
             &ConsentRequest::udcp),
      setter({"", "--device", "USER=DIR",
              "this person's device is in DIR: its policy applies, and its ledger is written"},
             [](TrainRequest& request, const std::string& text) { return set_device(request.consent, text); })
          .in_group("Consent"),
      of.row("device", "", "USER=DIR", "the person whose device is in a folder", &ConsentRequest::device),
      of.row("device_policy", "", "TEXT", "the policy of that device", &ConsentRequest::device_policy)};
}

}  // namespace

Fields sum_fields() {
  const Rows<SumOptions> of{&TrainRequest::sum, "sum", "Secure sum"};
  const auto assumed = [](auto member) {
    return [member](auto& request) -> auto& { return request.sum.assumed.*member; };
  };
  return {
      named({"sum.kind", "--sum", "KIND", "how contributions are added up"}, of.at(&SumOptions::kind),
            parse_sum_kind, {"plain", "secure", "shares", "paillier", "products"})
          .in_group("Secure sum"),
      of.row("block", "--secure-block", "ROWS",
             "rows per block: which of them a device changed stays hidden; 0: the whole catalogue",
             &SumOptions::block),
      of.row("group", "--secure-group", "N",
             "devices per sum, at least; the server sees each of these sums; 0: the whole cohort",
             &SumOptions::group),
      of.row("bits", "--secure-bits", "N", "bits of the ring; 0: as few as hold the sum", &SumOptions::bits),
      of.row("limit", "--secure-limit", "N",
             "largest integer that a device may send; 0: as large as contributions can be",
             &SumOptions::limit),
      of.row("silent", "--secure-dropout", "SHARE", "simulated: devices that drop out in each round",
             &SumOptions::silent),
      field({"sum.corrupt", "--secure-corrupt", "SHARE", "assumed: devices that work for the server"},
            assumed(&SumAssumptions::corrupt))
          .in_group("Secure sum"),
      field({"sum.dropped", "--secure-tolerate", "SHARE",
             "assumed: devices that may drop out without failing the round"},
            assumed(&SumAssumptions::dropped))
          .in_group("Secure sum"),
      field({"sum.crowd", "--secure-crowd", "N", "honest devices that each sum adds up, at least"},
            assumed(&SumAssumptions::crowd))
          .in_group("Secure sum"),
      of.row("aggregators", "--secure-aggregators", "N", "aggregators of shares", &SumOptions::aggregators)};
}

Fields pair_fields() {
  const auto of = [](auto member) {
    return [member](auto& request) -> auto& { return request.pairs.*member; };
  };
  return {field({"pairs.items", "--pair-items", "N",
                 "protected sums: only the pairs of the N most popular items are summed, which a first sum "
                 "finds"},
                of(&PairRequest::items))
              .with_standard("all")
              .in_group("Federation"),
          unless_usual(field({"federation.pair_bytes", "--pair-bytes", "N",
                              "protected sums: refuse what would take a device more bytes up"},
                             of(&PairRequest::bytes)))
              .in_group("Federation")};
}

Fields noise_fields() {
  const Rows<DpRequest> of{&TrainRequest::dp, "dp", "Differential privacy"};
  Field budget =
      setter({"", "--dp-budget", "FILE",
              "a budget that is charged before each release ('sotto privacy budget'); --resume keeps it"},
             [](TrainRequest& request, const std::string& path) -> Status {
               request.dp.budget = path;
               return Done{};
             })
          .in_group("Differential privacy");
  budget.is_file = true;
  return {
      of.row("place", "--dp", "PLACE",
             "where noise joins the sum: central, distributed (with --sum secure) or local",
             &DpRequest::place, "no noise"),
      of.row(
          "kind", "--dp-kind", "KIND",
          "gaussian, or laplace (central and local): lengths are then sums of absolute values, and a release "
          "has an epsilon without delta",
          &DpRequest::kind, "gaussian"),
      of.row("epsilon", "--dp-epsilon", "E", "epsilon to spend in total; the noise follows from it",
             &DpRequest::epsilon),
      of.row("noise", "--dp-noise", "S",
             "noise as a multiple of the clip (standard deviation; for Laplace noise the scale); with "
             "--dp-epsilon the run stops when that is spent",
             &DpRequest::noise),
      of.row("delta", "--dp-delta", "D", "chance that the bound does not hold", &DpRequest::delta, "1e-6"),
      of.row("clip", "--dp-clip", "C", "largest length of one person's contribution", &DpRequest::clip, "1"),
      of.row("row_clip", "--dp-row-clip", "C", "largest length of one row of it", &DpRequest::row_clip,
             "none"),
      of.row("survivors", "--dp-survivors", "SHARE",
             "devices of a round that stay to its end, at least (distributed)", &DpRequest::survivors, "1"),
      std::move(budget)};
}

Fields robust_fields() {
  const Rows<RobustOptions> of{&TrainRequest::robust, "robust", "Robust sums"};
  return {of.row("row_clip", "--robust-row-clip", "L",
                 "largest length of one device's contribution to one row", &RobustOptions::row_clip),
          of.row("clip", "--robust-clip", "L", "largest length of one device's contribution in a round",
                 &RobustOptions::clip),
          of.row("min_contributors", "--min-contributors", "N",
                 "release a row only if at least N devices contribute to it in a round",
                 &RobustOptions::min_contributors),
          of.row("groups", "--groups", "N", "divide the cohort into N groups, each summed on its own",
                 &RobustOptions::groups),
          named({"robust.across", "--across", "RULE",
                 "how the groups' sums are combined: mean, median or trimmed:SHARE"},
                of.at(&RobustOptions::across), parse_across)
              .in_group("Robust sums")};
}

Fields criteria_fields() {
  const Rows<CriteriaRequest> of{&TrainRequest::criteria, "criteria", "Criteria"};
  std::string names;
  for (const Criterion criterion : all_criteria())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", criterion->name);
  Field order = of.row(
      "order", "--criteria", "ORDER",
      fmt::format("criteria that weight devices, the most important first: \"size>novelty\"; from {}", names),
      &CriteriaRequest::order);
  order.set = [set = order.set](TrainRequest& request, const PlanValue& value) -> Status {
    SOTTO_TRY_DONE(set(request, value));
    if (request.criteria.order.empty())
      return fail(Code::usage, "it names no criterion: name one, or leave the option out");
    return Done{};
  };
  Field trust =
      of.row("trust", "--trust", "FILE", "trust in devices: lines of user, tab and a number from 0 to 1",
             &CriteriaRequest::trust);
  trust.is_file = true;
  return {
      std::move(order),
      of.row("score", "--score", "KIND", "how criteria become one number: prioritized, mean, owa or choquet",
             &CriteriaRequest::score, "prioritized"),
      with_commas(of.row("weights", "--score-weights", "LIST",
                         "for mean and owa: one per criterion; for choquet: one per set of criteria",
                         &CriteriaRequest::weights)),
      of.row("size_bound", "--size-bound", "N", "records from which a device counts fully by size",
             &CriteriaRequest::size_bound, "the longest history reported"),
      std::move(trust),
      of.row("quality", "--quality-category", "NAME", "quality is the share of a history in this category",
             &CriteriaRequest::quality)};
}

Fields federated_fields() {
  return joined({{field(
                      {"federation.fixed_bits", "--fixed-bits", "N",
                       "binary places of the numbers that leave a device"},
                      [](auto& request) -> auto& { return request.plan.fixed.bits; })
                      .in_group("Federation")},
                 consent_fields(),
                 sum_fields(),
                 robust_fields()});
}

}  // namespace sotto::engine::fields
