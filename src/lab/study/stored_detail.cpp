#include "lab/study/stored_detail.h"

namespace sotto {

namespace {

Status store_per_user(Database& database, const std::string& key, const PerUser& per_user) {
  SOTTO_TRY(Query query,
            database.prepare("INSERT INTO per_user(key, place, name, user_values) VALUES(?,?,?,?)"));
  for (std::size_t place = 0; place < per_user.names.size(); ++place) {
    const std::vector<double> values = per_user.column(per_user.names[place]);
    query.bind(0, key).bind(1, std::uint64_t{place}).bind(2, per_user.names[place]);
    SOTTO_TRY_DONE(query.bind(3, packed(std::span<const double>(values))).run());
  }
  return Done{};
}

Status store_curve(Database& database, const std::string& key, const std::vector<CurvePoint>& curve) {
  SOTTO_TRY(Query query, database.prepare("INSERT INTO curves VALUES(?,?,?,?,?,?,?,?)"));
  for (std::size_t place = 0; place < curve.size(); ++place) {
    const CurvePoint& point = curve[place];
    query.bind(0, key).bind(1, std::uint64_t{place}).bind(2, std::uint64_t{point.epoch}).bind(3, point.loss);
    point.validation ? query.bind(4, *point.validation) : query.bind_null(4);
    SOTTO_TRY_DONE(query.bind(5, point.triples).bind(6, point.bytes_up).bind(7, point.bytes_down).run());
  }
  return Done{};
}

Status store_bias(Database& database, const std::string& key, const std::vector<CategoryBiasAt>& bias) {
  SOTTO_TRY(Query query, database.prepare("INSERT INTO category_bias VALUES(?,?,?,?,?,?,?,?)"));
  std::uint64_t place = 0;
  for (const CategoryBiasAt& at : bias)
    for (const CategoryBias& one : at.categories) {
      query.bind(0, key).bind(1, place++).bind(2, std::uint64_t{at.cutoff}).bind(3, one.category);
      query.bind(4, one.items).bind(5, one.source).bind(6, one.recommended);
      SOTTO_TRY_DONE(query.bind(7, one.disparity).run());
    }
  return Done{};
}

Result<PerUser> load_per_user(const Database& database, const std::string& key,
                              const std::vector<std::uint32_t>& users) {
  PerUser per_user;
  for (const std::uint32_t user : users) per_user.users.push_back(UserIndex{user});
  SOTTO_TRY(Query query,
            database.prepare("SELECT name, user_values FROM per_user WHERE key = ? ORDER BY place"));
  query.bind(0, key);
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
  SOTTO_TRY(Query query, database.prepare("SELECT epoch, loss, validation, triples, bytes_up, bytes_down "
                                          "FROM curves WHERE key = ? ORDER BY place"));
  query.bind(0, key);
  std::vector<CurvePoint> curve;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return curve;
    CurvePoint& point = curve.emplace_back();
    point.epoch = static_cast<std::uint32_t>(query.number(0));
    point.loss = query.real(1);
    if (!query.is_null(2)) point.validation = query.real(2);
    point.triples = query.number(3);
    point.bytes_up = query.number(4);
    point.bytes_down = query.number(5);
  }
}

Result<std::vector<CategoryBiasAt>> load_bias(const Database& database, const std::string& key) {
  SOTTO_TRY(Query query, database.prepare("SELECT cutoff, category, items, source, recommended, disparity "
                                          "FROM category_bias WHERE key = ? ORDER BY place"));
  query.bind(0, key);
  std::vector<CategoryBiasAt> bias;
  while (true) {
    SOTTO_TRY(const bool row, query.step());
    if (!row) return bias;
    const auto cutoff = static_cast<std::uint32_t>(query.number(0));
    if (bias.empty() || bias.back().cutoff != cutoff) bias.push_back({cutoff, {}});
    bias.back().categories.push_back(
        {query.text(1), query.number(2), query.real(3), query.real(4), query.real(5)});
  }
}

}  // namespace

Status store_detail(Database& database, const std::string& key, const CellDetail& detail) {
  std::vector<std::uint32_t> users;
  users.reserve(detail.per_user.users.size());
  for (const UserIndex user : detail.per_user.users) users.push_back(user.value);
  SOTTO_TRY(Query query, database.prepare("INSERT INTO details VALUES(?,?,?,?)"));
  query.bind(0, key).bind(1, packed(std::span<const std::uint32_t>(users)));
  query.bind(2, packed(std::span(detail.item_updates)));
  SOTTO_TRY_DONE(query.bind(3, packed(std::span(detail.item_recommended))).run());
  SOTTO_TRY_DONE(store_per_user(database, key, detail.per_user));
  SOTTO_TRY_DONE(store_curve(database, key, detail.curve));
  return store_bias(database, key, detail.category_bias);
}

Result<CellDetail> load_detail(const Database& database, const std::string& key) {
  SOTTO_TRY(Query query, database.prepare("SELECT users, item_updates, item_recommended FROM details "
                                          "WHERE key = ?"));
  query.bind(0, key);
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

}  // namespace sotto
