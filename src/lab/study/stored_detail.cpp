#include "lab/study/stored_detail.h"

namespace sotto::lab {

namespace {

Status store_per_user(const Database& database, const std::string& key, const PerUser& per_user) {
  std::uint64_t place = 0;
  for (const std::string& name : per_user.names) {
    const std::vector<double> values = per_user.column(name);
    SOTTO_TRY_DONE(database.run("INSERT INTO per_user(key, place, name, user_values) VALUES(?,?,?,?)",
                                {key, place++, name, Octets(packed(std::span<const double>(values)))}));
  }
  return Done{};
}

Status store_curve(const Database& database, const std::string& key, const std::vector<CurvePoint>& curve) {
  std::uint64_t place = 0;
  for (const CurvePoint& point : curve)
    SOTTO_TRY_DONE(database.run("INSERT INTO curves VALUES(?,?,?,?,?,?,?,?)",
                                {key, place++, point.epoch, point.loss, point.validation, point.triples,
                                 point.bytes_up, point.bytes_down}));
  return Done{};
}

Status store_bias(const Database& database, const std::string& key, const std::vector<CategoryBiasAt>& bias) {
  std::uint64_t place = 0;
  for (const CategoryBiasAt& at : bias)
    for (const CategoryBias& one : at.categories)
      SOTTO_TRY_DONE(database.run(
          "INSERT INTO category_bias VALUES(?,?,?,?,?,?,?,?)",
          {key, place++, at.cutoff, one.category, one.items, one.source, one.recommended, one.disparity}));
  return Done{};
}

Result<PerUser> load_per_user(const Database& database, const std::string& key,
                              const std::vector<std::uint32_t>& users) {
  PerUser per_user;
  for (const std::uint32_t user : users) per_user.users.push_back(UserIndex{user});
  SOTTO_TRY(Query query,
            database.query("SELECT name, user_values FROM per_user WHERE key = ? ORDER BY place", {key}));
  std::vector<std::vector<double>> columns;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) break;
    per_user.names.push_back(query.text(0));
    SOTTO_TRY(std::vector<double> values, unpacked<double>(query.bytes(1), database.path()));
    if (values.size() != users.size())
      return fail(Code::bad_input,
                  database.path() + ": a cell's values and its users do not belong together");
    columns.push_back(std::move(values));
  }
  per_user.values.reserve(users.size() * columns.size());
  for (std::size_t row = 0; row < users.size(); ++row)
    for (const std::vector<double>& column : columns) per_user.values.push_back(column[row]);
  return per_user;
}

Result<std::vector<CurvePoint>> load_curve(const Database& database, const std::string& key) {
  SOTTO_TRY(Query query, database.query("SELECT epoch, loss, validation, triples, bytes_up, bytes_down "
                                        "FROM curves WHERE key = ? ORDER BY place",
                                        {key}));
  std::vector<CurvePoint> curve;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return curve;
    CurvePoint& point = curve.emplace_back();
    point.epoch = query.number<std::uint32_t>(0);
    point.loss = query.real(1);
    if (!query.is_null(2)) point.validation = query.real(2);
    point.triples = query.number(3);
    point.bytes_up = query.number(4);
    point.bytes_down = query.number(5);
  }
}

Result<std::vector<CategoryBiasAt>> load_bias(const Database& database, const std::string& key) {
  SOTTO_TRY(Query query, database.query("SELECT cutoff, category, items, source, recommended, disparity "
                                        "FROM category_bias WHERE key = ? ORDER BY place",
                                        {key}));
  std::vector<CategoryBiasAt> bias;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return bias;
    const auto cutoff = query.number<std::uint32_t>(0);
    if (bias.empty() || bias.back().cutoff != cutoff) bias.push_back({cutoff, {}});
    bias.back().categories.push_back(
        {query.text(1), query.number(2), query.real(3), query.real(4), query.real(5)});
  }
}

}  // namespace

Status store_detail(const Database& database, const std::string& key, const CellDetail& detail) {
  std::vector<std::uint32_t> users;
  users.reserve(detail.per_user.users.size());
  for (const UserIndex user : detail.per_user.users) users.push_back(user.value);
  SOTTO_TRY_DONE(database.run(
      "INSERT INTO details VALUES(?,?,?,?)",
      {key, Octets(packed(std::span<const std::uint32_t>(users))),
       Octets(packed(std::span(detail.item_updates))), Octets(packed(std::span(detail.item_recommended)))}));
  SOTTO_TRY_DONE(store_per_user(database, key, detail.per_user));
  SOTTO_TRY_DONE(store_curve(database, key, detail.curve));
  return store_bias(database, key, detail.category_bias);
}

Result<CellDetail> load_detail(const Database& database, const std::string& key) {
  SOTTO_TRY(Query query, database.query("SELECT users, item_updates, item_recommended FROM details "
                                        "WHERE key = ?",
                                        {key}));
  SOTTO_TRY(const bool row, query.step());
  if (!row) return fail(Code::not_found, database.path() + ": there is no result under this key");
  CellDetail detail;
  SOTTO_TRY(const std::vector<std::uint32_t> users, unpacked<std::uint32_t>(query.bytes(0), database.path()));
  SOTTO_TRY(detail.item_updates, unpacked<std::uint64_t>(query.bytes(1), database.path()));
  SOTTO_TRY(detail.item_recommended, unpacked<std::uint64_t>(query.bytes(2), database.path()));
  SOTTO_TRY(detail.per_user, load_per_user(database, key, users));
  SOTTO_TRY(detail.curve, load_curve(database, key));
  SOTTO_TRY(detail.category_bias, load_bias(database, key));
  return detail;
}

}  // namespace sotto::lab
