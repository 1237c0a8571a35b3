#include "lab/reproduce/knowledge_print.h"

#include "lab/reproduce/paper_data.h"

namespace sotto {

namespace {

constexpr std::array printed_table_6_1{
    PrintedKnowledge{yahoo_movies,
                     "Random",
                     {.0096, .0084, 1050, 811, .8496, .5659, 5.5203, .5473, .0985, .5336, .0098, .0034}},
    PrintedKnowledge{yahoo_movies, "Most Pop", {.1585, .1367, 49, 11, .0126, .001, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{
        yahoo_movies, "VSM", {.0478, .0453, 370, 93, .0525, .0139, 3.1177, .227, .4959, .5443, .4575, .6112}},
    PrintedKnowledge{yahoo_movies,
                     "Item-kNN",
                     {.3074, .3472, 745, 297, .1583, .0985, .9884, .0862, .7059, .7065, .8347, .8562}},
    PrintedKnowledge{yahoo_movies,
                     "MultVAE",
                     {.237, .2455, 399, 152, .0914, .0419, .2347, .0122, .8543, .8293, .9613, .9799}},
    PrintedKnowledge{
        yahoo_movies, "BPR-MF", {.1857, .171, 151, 35, .0219, .0041, .0006, 0, .9954, 1, .9999, 1}},
    PrintedKnowledge{
        yahoo_movies, "MF", {.2897, .2999, 455, 177, .0902, .0464, .0823, .0026, .8735, .9353, .9865, .9958}},
    PrintedKnowledge{yahoo_movies, "NeuMF", {.0918, .0855, 50, 13, .0113, .0009, .0006, 0, 1, 1, .9999, 1}},
    PrintedKnowledge{yahoo_movies,
                     "kaHFM",
                     {.3006, .3238, 757, 290, .1659, .0988, .4624, .0334, .761, .7494, .9234, .9447}},
    PrintedKnowledge{yahoo_movies,
                     "KGFlex",
                     {.2464, .3122, 851, 370, .2802, .1361, 2.1447, .1145, .4477, .6292, .6336, .808}},
    PrintedKnowledge{facebook_books,
                     "Random",
                     {.0069, .0059, 782, 646, .8617, .5878, 5.2605, .5371, .098, .1159, .0075, .0088}},
    PrintedKnowledge{facebook_books, "Most Pop", {.0939, .0829, 16, 4, .0127, .0007, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{facebook_books,
                     "VSM",
                     {.0362, .0213, 523, 203, .1887, .0839, 3.8056, .3067, .2262, .7618, .2996, .4409}},
    PrintedKnowledge{facebook_books,
                     "Item-kNN",
                     {.129, .0924, 769, 338, .3752, .1606, 2.2252, .2106, .4885, .43, .5986, .6208}},
    PrintedKnowledge{facebook_books,
                     "MultVAE",
                     {.1191, .0829, 620, 197, .1828, .0634, .4637, .0272, .777, .8723, .9182, .9522}},
    PrintedKnowledge{facebook_books, "BPR-MF", {.0947, .0829, 17, 4, .0132, .0007, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{facebook_books, "MF", {.0956, .0844, 87, 16, .0238, .0012, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{facebook_books, "NeuMF", {.0714, .0756, 17, 4, .0125, .0006, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{facebook_books,
                     "kaHFM",
                     {.1267, .0858, 540, 174, .1387, .0607, .3294, .0249, .8766, .9368, .942, .9561}},
    PrintedKnowledge{facebook_books,
                     "KGFlex",
                     {.0853, .0653, 606, 288, .307, .1588, 3.0264, .2458, .1521, .1315, .4485, .5554}},
    PrintedKnowledge{movielens_liked,
                     "Random",
                     {.0096, .0089, 3203, 2701, .8657, .6036, 6.5735, .6566, .0715, .0404, .0056, .002}},
    PrintedKnowledge{movielens_liked, "Most Pop", {.1984, .2512, 69, 19, .0054, .0006, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{movielens_liked,
                     "VSM",
                     {.0476, .0373, 170, 34, .0062, .0011, 1.5333, .3629, .83, .3413, .8264, .5395}},
    PrintedKnowledge{movielens_liked,
                     "Item-kNN",
                     {.369, .4803, 980, 395, .0584, .0318, .0666, .0041, .9606, .9707, .993, .9957}},
    PrintedKnowledge{movielens_liked,
                     "MultVAE",
                     {.3424, .4003, 1794, 856, .1381, .0921, .4455, .0414, .7652, .7605, .9522, .9557}},
    PrintedKnowledge{movielens_liked,
                     "BPR-MF",
                     {.3676, .4679, 1141, 527, .0765, .0449, .0633, .0018, .9551, .9933, .9933, .9981}},
    PrintedKnowledge{movielens_liked, "MF", {.1833, .2079, 100, 35, .0075, .0029, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{movielens_liked, "NeuMF", {.1374, .1496, 70, 18, .0046, .0004, 0, 0, 1, 1, 1, 1}},
    PrintedKnowledge{movielens_liked,
                     "kaHFM",
                     {.3222, .4203, 955, 337, .0482, .0219, .045, .0017, .972, .9888, .9953, .9983}},
    PrintedKnowledge{movielens_liked,
                     "KGFlex",
                     {.1982, .2754, 1403, 492, .0844, .0327, .8613, .048, .8207, .9384, .9057, .9484}},
};

constexpr std::array printed_table_6_2{
    PrintedPreserved{0, .145, .215, .315}, PrintedPreserved{100, .11, .21, .37},
    PrintedPreserved{50, .12, .26, .48},   PrintedPreserved{10, .20, .30, .60},
    PrintedPreserved{5, .20, .40, .60},
};

}  // namespace

std::span<const PrintedKnowledge> printed_knowledge() { return printed_table_6_1; }

std::optional<double> printed_knowledge(std::string_view dataset, std::string_view model,
                                        std::string_view metric) {
  for (const PrintedKnowledge& row : printed_table_6_1) {
    if (row.dataset != dataset || row.model != model) continue;
    for (std::size_t n = 0; n < knowledge_metrics.size(); ++n)
      if (knowledge_metrics[n] == metric) return row.values[n];
  }
  return std::nullopt;
}

std::span<const PrintedPreserved> printed_preserved() { return printed_table_6_2; }

}  // namespace sotto
