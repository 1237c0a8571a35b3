#include "lab/reproduce/printed_values.h"

#include <cmath>
#include <limits>

#include "base/assert.h"

namespace sotto {

namespace {

constexpr double lost = std::numeric_limits<double>::quiet_NaN();

constexpr std::array datasets_table{
    PrintedDataset{"Brazil", 17473, 47270, 599958, true},
    PrintedDataset{"Canada", 1340, 29518, 63514, true},
    PrintedDataset{"Italy", 1353, 25522, 54088, true},
    PrintedDataset{"Amazon DM", 1835, 41488, 75932, false},
    PrintedDataset{"LibraryThing", 7279, 37232, 749401, false},
    PrintedDataset{"MovieLens 1M", 6040, 3706, 1000209, false},
};

// FCF has the same four numbers on LibraryThing and on MovieLens 1M: so they are printed.
constexpr std::array scores_table{
    PrintedScore{"Brazil", "Random", .00013, .00015, 46120, .70946},
    PrintedScore{"Brazil", "Top-Pop", .01909, .02375, 19, .00020},
    PrintedScore{"Brazil", "User-kNN", .10600, .13480, 3083, .01159},
    PrintedScore{"Brazil", "Item-kNN", .07716, .09607, 16535, .07449},
    PrintedScore{"Brazil", "VAE", .10320, .13153, 5503, .02117},
    PrintedScore{"Brazil", "BPR-MF", .07702, .09494, 2552, .00756},
    PrintedScore{"Brazil", "FCF", .03089, .03749, 911, .00095},
    PrintedScore{"Brazil", "sFPL", .07757, .09581, 1581, .00561},
    PrintedScore{"Brazil", "sFPL+", .08682, .11004, 5200, .01449},
    PrintedScore{"Brazil", "pFPL", .07771, .09582, 2114, .00638},
    PrintedScore{"Brazil", "pFPL+", .08733, .11085, 3820, .01106},
    PrintedScore{"Canada", "Random", .00030, .00035, 10815, .26809},
    PrintedScore{"Canada", "Top-Pop", .04239, .04679, 18, .00030},
    PrintedScore{"Canada", "User-kNN", .07639, .07533, 609, .00321},
    PrintedScore{"Canada", "Item-kNN", .04006, .03881, 4393, .05404},
    PrintedScore{"Canada", "VAE", .06060, .06317, 1044, .00652},
    PrintedScore{"Canada", "BPR-MF", .03694, .03650, 1216, .00998},
    PrintedScore{"Canada", "FCF", .03724, .03836, 504, .00174},
    PrintedScore{"Canada", "sFPL", .04515, .04550, 451, .00243},
    PrintedScore{"Canada", "sFPL+", .05701, .05665, 1510, .01259},
    PrintedScore{"Canada", "pFPL", .04582, .04637, 425, .00213},
    PrintedScore{"Canada", "pFPL+", .05761, .05755, 1214, .00981},
    PrintedScore{"Italy", "Random", .00030, .00029, 10478, .28914},
    PrintedScore{"Italy", "Top-Pop", .04634, .05506, 19, .00035},
    PrintedScore{"Italy", "User-kNN", .06881, .07833, 577, .00282},
    PrintedScore{"Italy", "Item-kNN", .04663, .05356, 3241, .03293},
    PrintedScore{"Italy", "VAE", .10421, .21324, 165, .02336},
    PrintedScore{"Italy", "BPR-MF", .04560, .05458, 19, .00036},
    PrintedScore{"Italy", "FCF", .03126, .03708, 403, .00158},
    PrintedScore{"Italy", "sFPL", .04701, .05600, 18, .00036},
    PrintedScore{"Italy", "sFPL+", .05595, .06229, 932, .00789},
    PrintedScore{"Italy", "pFPL", .04642, .05465, 96, .00056},
    PrintedScore{"Italy", "pFPL+", .05565, .06291, 936, .00725},
    PrintedScore{"Amazon DM", "Random", .00005, .00005, 14186, .28069},
    PrintedScore{"Amazon DM", "Top-Pop", .00469, .00603, 24, .00023},
    PrintedScore{"Amazon DM", "User-kNN", .01940, .02757, 4809, .04115},
    PrintedScore{"Amazon DM", "Item-kNN", .02147, .03171, 4516, .03801},
    PrintedScore{"Amazon DM", "VAE", .01580, .02289, 3919, .04179},
    PrintedScore{"Amazon DM", "BPR-MF", .00921, .01298, 739, .00415},
    PrintedScore{"Amazon DM", "FCF", .00839, .01222, 2655, .01861},
    PrintedScore{"Amazon DM", "sFPL", .00610, .00889, 349, .00136},
    PrintedScore{"Amazon DM", "sFPL+", .01422, .02060, 2586, .02153},
    PrintedScore{"Amazon DM", "pFPL", .00812, .01165, 1052, .00737},
    PrintedScore{"Amazon DM", "pFPL+", lost, lost, 2614, .02163},
    PrintedScore{"LibraryThing", "Random", .00054, .00028, 31918, .60964},
    PrintedScore{"LibraryThing", "Top-Pop", .05013, .03044, 36, .00031},
    PrintedScore{"LibraryThing", "User-kNN", .14193, .10115, 3833, .01485},
    PrintedScore{"LibraryThing", "Item-kNN", .20214, .14778, 12737, .09979},
    PrintedScore{"LibraryThing", "VAE", .10834, .07711, 7800, .04638},
    PrintedScore{"LibraryThing", "BPR-MF", .07009, .04303, 3082, .01359},
    PrintedScore{"LibraryThing", "FCF", .10760, .04392, 829, .01305},
    PrintedScore{"LibraryThing", "sFPL", .06309, .03738, 1650, .00512},
    PrintedScore{"LibraryThing", "sFPL+", .08512, .05627, 5404, .02784},
    PrintedScore{"LibraryThing", "pFPL", .06210, .03643, 1895, .00760},
    PrintedScore{"LibraryThing", "pFPL+", lost, lost, 5912, .03133},
    PrintedScore{"MovieLens 1M", "Random", .00871, .00283, 3666, .85426},
    PrintedScore{"MovieLens 1M", "Top-Pop", .10224, .03924, 118, .00569},
    PrintedScore{"MovieLens 1M", "User-kNN", .12613, .06701, 737, .04636},
    PrintedScore{"MovieLens 1M", "Item-kNN", .08873, .05475, 2134, .19292},
    PrintedScore{"MovieLens 1M", "VAE", .11735, .06192, 1476, .09259},
    PrintedScore{"MovieLens 1M", "BPR-MF", .11911, .05817, 1444, .08508},
    PrintedScore{"MovieLens 1M", "FCF", .10760, .04392, 829, .01305},
    PrintedScore{"MovieLens 1M", "sFPL", .11805, .05902, 1041, .06608},
    PrintedScore{"MovieLens 1M", "sFPL+", .11599, .05571, 1326, .02513},
    PrintedScore{"MovieLens 1M", "pFPL", .12275, .05806, 901, .04933},
    PrintedScore{"MovieLens 1M", "pFPL+", lost, lost, 792, .01451},
};

constexpr std::array pis_table{
    PrintedPi{"Brazil", "sFPL", 0.5},  PrintedPi{"Canada", "sFPL", 0.1},  PrintedPi{"Italy", "sFPL", 0.4},
    PrintedPi{"Brazil", "sFPL+", 0.9}, PrintedPi{"Canada", "sFPL+", 0.4}, PrintedPi{"Italy", "sFPL+", 0.2},
    PrintedPi{"Brazil", "pFPL", 0.8},  PrintedPi{"Canada", "pFPL", 0.1},  PrintedPi{"Italy", "pFPL", 1},
    PrintedPi{"Brazil", "pFPL+", 0.8}, PrintedPi{"Canada", "pFPL+", 0.3}, PrintedPi{"Italy", "pFPL+", 0.1},
};

constexpr std::array costs_table{
    PrintedCost{"sFPL", 0.1, 1.27623, 0.06961},  PrintedCost{"sFPL", 0.2, 1.27623, 0.07327},
    PrintedCost{"sFPL", 0.3, 1.27624, 0.07551},  PrintedCost{"sFPL", 0.4, 1.27624, 0.07686},
    PrintedCost{"sFPL", 0.5, 1.27624, 0.07757},  PrintedCost{"sFPL", 0.6, 1.27624, 0.07733},
    PrintedCost{"sFPL", 0.7, 1.27625, 0.07714},  PrintedCost{"sFPL", 0.8, 1.27625, 0.07730},
    PrintedCost{"sFPL", 0.9, 1.27625, 0.07724},  PrintedCost{"sFPL", 1.0, 1.27625, 0.07702},
    PrintedCost{"sFPL+", 0.1, 1.41913, 0.03347}, PrintedCost{"sFPL+", 0.2, 1.41924, 0.05241},
    PrintedCost{"sFPL+", 0.3, 1.41934, 0.06269}, PrintedCost{"sFPL+", 0.4, 1.41944, 0.06949},
    PrintedCost{"sFPL+", 0.5, 1.41955, 0.07298}, PrintedCost{"sFPL+", 0.6, 1.41965, 0.08121},
    PrintedCost{"sFPL+", 0.7, 1.41975, 0.08506}, PrintedCost{"sFPL+", 0.8, 1.41985, 0.08660},
    PrintedCost{"sFPL+", 0.9, 1.41996, 0.08682}, PrintedCost{"sFPL+", 1.0, 1.42006, 0.08523},
    PrintedCost{"pFPL", 0.1, 1.27623, 0.07026},  PrintedCost{"pFPL", 0.2, 1.27623, 0.07366},
    PrintedCost{"pFPL", 0.3, 1.27624, 0.07497},  PrintedCost{"pFPL", 0.4, 1.27624, 0.07582},
    PrintedCost{"pFPL", 0.5, 1.27624, 0.07671},  PrintedCost{"pFPL", 0.6, 1.27624, 0.07723},
    PrintedCost{"pFPL", 0.7, 1.27625, 0.07758},  PrintedCost{"pFPL", 0.8, 1.27625, 0.07771},
    PrintedCost{"pFPL", 0.9, 1.27625, 0.07726},  PrintedCost{"pFPL", 1.0, 1.27625, 0.07703},
    PrintedCost{"pFPL+", 0.1, 0.99339, 0.04358}, PrintedCost{"pFPL+", 0.2, 0.99347, 0.05022},
    PrintedCost{"pFPL+", 0.3, 0.99354, 0.05598}, PrintedCost{"pFPL+", 0.4, 0.99361, 0.06382},
    PrintedCost{"pFPL+", 0.5, 0.99368, 0.07648}, PrintedCost{"pFPL+", 0.6, 0.99375, 0.08247},
    PrintedCost{"pFPL+", 0.7, 0.99383, 0.08590}, PrintedCost{"pFPL+", 0.8, 0.99390, 0.08733},
    PrintedCost{"pFPL+", 0.9, 0.99397, 0.08699}, PrintedCost{"pFPL+", 1.0, 0.99404, 0.08582},
};

constexpr std::array source_bias_table{
    PrintedBias{"Brazil", {1.4949, 0.6289, 1.1024, 1.3286, 1.1340, 0.6424, 0.5202, 0.8314, 1.3699}},
    PrintedBias{"Canada", {1.7224, 0.8310, 1.0879, 1.6594, 0.9719, 0.6610, 0.4134, 0.8087, 1.2328}},
    PrintedBias{"Italy", {1.4130, 0.8221, 0.9317, 1.3559, 1.3292, 0.7868, 0.4171, 0.8482, 1.2678}},
};

constexpr std::array disparity_table{
    PrintedBias{"Random", {-0.325, 0.559, -0.080, -0.245, -0.143, 0.549, 0.911, 0.203, -0.273}},
    PrintedBias{"Top-Pop", {-1.000, -1.000, -0.302, -1.000, -0.999, -1.000, -1.000, -1.000, 6.660}},
    PrintedBias{"User-kNN", {0.445, -0.832, 0.261, -0.213, 0.162, -0.842, -0.969, -0.431, 0.621}},
    PrintedBias{"Item-kNN", {0.346, 0.140, 0.068, -0.102, 0.153, -0.347, -0.381, -0.227, 0.083}},
    PrintedBias{"VAE", {0.393, -0.723, 0.223, -0.315, 0.194, -0.776, -0.911, -0.310, 0.572}},
    PrintedBias{"BPR-MF", {0.301, -0.712, 0.232, -0.710, 0.142, -0.758, -0.992, -0.434, 1.165}},
    PrintedBias{"FCF", {-0.464, -0.968, 0.687, -0.910, 0.135, -0.960, -0.994, -0.946, 1.239}},
    PrintedBias{"sFPL", {0.272, -0.738, 0.263, -0.756, 0.161, -0.814, -0.997, -0.368, 1.072}},
    PrintedBias{"sFPL+", {0.311, -0.675, 0.160, -0.396, 0.278, -0.806, -0.903, -0.291, 0.812}},
    PrintedBias{"pFPL", {0.253, -0.813, 0.218, -0.613, 0.143, -0.739, -0.992, -0.479, 1.239}},
    PrintedBias{"pFPL+", {0.154, -0.566, 0.190, -0.351, 0.345, -0.764, -0.913, -0.410, 0.778}},
};

}  // namespace

std::span<const PrintedDataset> printed_datasets() { return datasets_table; }
std::span<const PrintedScore> printed_scores() { return scores_table; }
std::span<const PrintedPi> printed_pis() { return pis_table; }
std::span<const PrintedCost> printed_costs() { return costs_table; }
std::span<const PrintedBias> printed_source_bias() { return source_bias_table; }
std::span<const PrintedBias> printed_disparity() { return disparity_table; }

std::optional<double> printed_score(std::string_view dataset, std::string_view model,
                                    std::string_view metric) {
  for (const PrintedScore& score : scores_table) {
    if (score.dataset != dataset || score.model != model) continue;
    const double value = metric == "P@10"      ? score.precision
                         : metric == "R@10"    ? score.recall
                         : metric == "IC@10"   ? score.coverage
                         : metric == "Gini@10" ? score.gini
                                               : lost;
    return std::isnan(value) ? std::nullopt : std::optional(value);
  }
  return std::nullopt;
}

std::uint32_t printed_epochs(std::string_view model) {
  SOTTO_ASSERT(model.ends_with("FPL") || model.ends_with("FPL+"), "table 4.4 has the four configurations");
  if (!model.ends_with('+')) return 45;
  return model == "sFPL+" ? 50 : 35;
}

}  // namespace sotto
