// The data of the Fed-CARS paper: MovieLens 100K and latest-small, with ratings, times and contexts, each
// under two protocols: the paper's, as far as it is told, and a clean one.
#pragma once

#include "lab/reproduce/paper_data.h"

namespace sotto {

// The newest fifth of each person's ratings is the test part.
inline constexpr std::string_view movielens_100k = "MovieLens 100K";
inline constexpr std::string_view movielens_latest = "MovieLens latest-small";
// Of it at most 20 ratings, drawn at random: "the latest interactions … and randomly took 20 samples". The
// others are trained on, also newer ones.
inline constexpr std::string_view movielens_100k_drawn = "MovieLens 100K, 20 drawn";
inline constexpr std::string_view movielens_latest_drawn = "MovieLens latest-small, 20 drawn";

[[nodiscard]] bool is_cars_data(std::string_view name);
// Without ", 20 drawn": what the paper's table calls it.
[[nodiscard]] std::string_view printed_set(std::string_view name);

[[nodiscard]] Result<PaperData> find_cars_data(std::string_view name, const DataFolder& folder);

}  // namespace sotto
