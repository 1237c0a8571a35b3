// Lists of recommendations for people (tables, or sentences where reasons are asked for) and for programs
// (TSV, JSON).
//
// Law: the parts that are told and that of the others add up to the score, as the Explainer's do.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/recommend_lists.h"
#include "data/split.h"
#include "engine/terminal/console.h"

namespace sotto::cli {

// "because you care about dct:subject Dramas (0.83), dbo:director Ann (0.41), against dct:subject War films
// (-0.10), and 4 more features (0.12)". In brackets: the feature's part of the score.
[[nodiscard]] std::string reasons_in_words(const ToldReasons& reasons, const ItemFeatures& features);
// "Dark City 3 → 1; Alien new at 2; The Matrix gone (was 1)".
[[nodiscard]] std::string changes_in_words(const std::vector<RankChange>& changes, const Split& split);

// {feature, predicate, object}: in words, and both names in full.
[[nodiscard]] nlohmann::json feature_json(const ItemFeatures& features, FeatureIndex feature);

[[nodiscard]] std::string lists_tsv(const std::vector<TopList>& lists, const Split& split);
[[nodiscard]] nlohmann::json lists_json(const std::vector<TopList>& lists, const Split& split);
[[nodiscard]] std::string lists_text(const std::vector<TopList>& lists, const Split& split,
                                     const Console& console);

}  // namespace sotto::cli
