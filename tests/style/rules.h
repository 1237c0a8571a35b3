// The rules of the house (STYLE.md) as functions from sources to findings. An empty answer is a clean house.
#pragma once

#include <string>
#include <vector>

#include "tests/style/source.h"

namespace sotto::style {

// "path:line: what is wrong"
using Findings = std::vector<std::string>;

// Each layer includes only what stands to its left; sim, net, device, server and neural never see each other.
[[nodiscard]] Findings check_layers(const Source& source);

// The folders of src/ see each other one way: no folder sees itself through others. Tests and fixtures may.
[[nodiscard]] Findings check_cycles(const std::vector<Source>& sources);

// Product code names no model in quotes, but for the model's own files (src/model, src/engine/models,
// src/fed/models) and the attackers of the audit. The models are those that engine/models/all_models.h
// declares; "random" is a way to split and to search, too.
[[nodiscard]] Findings check_model_names(const std::vector<Source>& sources);

// Product code includes no fixture: nothing from a folder called testing.
[[nodiscard]] Findings check_fixtures(const Source& source);

// No two types below src/ have the same qualified name, though no file sees both; nor one that differs in the
// layer alone, which would hide the other.
[[nodiscard]] Findings check_types(const std::vector<Source>& sources);

// src/base/layers.h lets each layer find just the names of those to its left, as check_layers has them.
[[nodiscard]] Findings check_layer_names(const Source& layers);

// What a layer defines stands in its namespace: src/fed in sotto::fed. Others may be declared there.
[[nodiscard]] Findings check_namespaces(const Source& source);

// Below storage: no thread, file, clock, socket or foreign randomness. Tests may.
[[nodiscard]] Findings check_purity(const Source& source);

// A header opens with a comment and is guarded by #pragma once.
[[nodiscard]] Findings check_header(const Source& source);

// No type or file whose name says only that it does something.
[[nodiscard]] Findings check_names(const Source& source);

// No mark of unfinished work, no test that is switched off.
[[nodiscard]] Findings check_marks(const Source& source);

struct Limits {
  std::size_t source = 400;
  std::size_t header = 150;
  std::size_t function = 60;
};

// Sizes, as a ratchet: `exceptions` holds lines "path kind limit" (kind: file or function, # comments).
// A limit must be what the file measures now, so that it can only shrink; one no longer needed must go.
[[nodiscard]] Findings check_sizes(const std::vector<Source>& sources, const std::string& exceptions,
                                   const Limits& limits = {});

}  // namespace sotto::style
