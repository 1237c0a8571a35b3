#include "lab/reproduce/targets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <list>

#include "lab/reproduce/paper_entry.h"

namespace sotto::lab {

namespace {

constexpr std::array<std::string_view, 24> kind_names{
    "datasets",      "scores",     "costs",          "source bias", "disparity",       "f1 over π",
    "coverage path", "updates",    "recommended",    "cost front",  "knowledge",       "preserved",
    "entropy",       "ablation",   "word clouds",    "table",       "participation",   "contexts",
    "protocols",     "cold start", "reached rounds", "mistakes",    "accuracy curves", "criteria"};
constexpr std::array<std::string_view, 3> pi_grids{"chosen", "positive", "with zero"};

struct Catalogue {
  std::list<Paper> papers;  // targets point to them
  std::vector<Target> targets;
};

Target read_target(PaperEntry& entry, const std::list<Paper>& papers) {
  Target target;
  std::string paper;
  bool extras = false;
  entry.need("name", target.name).need("title", target.title).need("paper", paper);
  entry.word("kind", kind_names, target.kind).need("datasets", target.datasets);
  entry.may("models", target.models).may("metrics", target.metrics).word("pis", pi_grids, target.pis);
  entry.may("extras", extras).may("fallback", target.fallback).may("quick_datasets", target.quick_datasets);
  entry.may("drawn", target.drawn).may("tested", target.tested);
  std::vector<std::string> names;
  for (const Paper& one : papers) names.push_back(one.name);
  std::size_t found = 0;
  entry.word("paper", names, found);
  if (found >= papers.size()) return target;  // it was refused
  target.paper = &*std::next(papers.begin(), static_cast<std::ptrdiff_t>(found));
  if (target.tested.empty()) target.tested = target.paper->tested;
  if (extras) target.extras = target.paper->unprinted;
  return target;
}

Result<Catalogue> read_catalogue(const toml::table& document, const std::string& file) {
  Catalogue all;
  PaperEntry root(document, file);
  root.each_named("papers", [&](const std::string& name, PaperEntry& entry) {
    Paper& paper = all.papers.emplace_back();
    paper.name = name;
    entry.may("own", paper.own).may("over_pi", paper.over_pi).may("federated", paper.federated);
    entry.may("unprinted", paper.unprinted).may("competing", paper.competing);
    entry.may("with_features", paper.with_features).may("second_hop", paper.second_hop);
    entry.may("in_parallel", paper.in_parallel)
        .may("more_local", paper.more_local)
        .may("sparse", paper.sparse);
    entry.may("untuned", paper.untuned).may("untuned_note", paper.untuned_note).may("given", paper.given);
    entry.need("tested", paper.tested).need("protocol", paper.protocol);
    entry.need("quick", paper.quick).need("full", paper.full).may("quick_seeds", paper.quick_seeds);
  });
  root.each("target", [&](PaperEntry& entry) { all.targets.push_back(read_target(entry, all.papers)); });
  SOTTO_TRY_DONE(root.done());
  return all;
}

const Catalogue& catalogue() {
  static const Catalogue all = from_papers("targets.toml", read_catalogue);
  return all;
}

}  // namespace

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const std::vector<Target>& targets() { return catalogue().targets; }

Result<Target> find_target(const std::string& name) {
  std::string names;
  for (const Target& target : targets()) {
    if (target.name == name || target.name == "thesis-" + name) return target;
    names += fmt::format(", {}", target.name);
  }
  return fail(Code::usage,
              fmt::format("there is nothing called '{}' to reproduce: choose list{}", name, names));
}

bool is_fpl_label(std::string_view model) {
  return std::ranges::any_of(catalogue().papers,
                             [&](const Paper& one) { return contains(one.over_pi, model); });
}

bool is_federated_label(std::string_view model) {
  return std::ranges::any_of(catalogue().papers,
                             [&](const Paper& one) { return contains(one.federated, model); });
}

}  // namespace sotto::lab
