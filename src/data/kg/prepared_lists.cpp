#include "data/kg/prepared_lists.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "data/text_source.h"

namespace sotto::data {

namespace {

constexpr std::string_view named_header = "item\tpredicate\tobject";
constexpr std::string_view tags_header = "userId,movieId,tag,timestamp";
constexpr std::size_t piece = std::size_t{1} << 20;

bool is_number(std::string_view field) {
  return !field.empty() &&
         std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; });
}

using Fields = std::vector<std::string_view>;

bool all_numbers(const Fields& fields) { return std::all_of(fields.begin(), fields.end(), is_number); }

const char* shape_of(KnowledgeFormat format) {
  return format == KnowledgeFormat::numbers ? "a line is an item, a predicate's and an object's number"
         : format == KnowledgeFormat::tags  ? "a line is a user, an item, a tag and a time, parted by commas"
         : format == KnowledgeFormat::lists ? "a line is an item and the ids of its features"
                                            : "a line is an item, a predicate and an object";
}

bool is_sound(const Fields& fields, KnowledgeFormat format) {
  for (const std::string_view field : fields)
    if (id_fault(field)) return false;
  if (format == KnowledgeFormat::lists) return fields.size() >= 2;
  return fields.size() == 3 &&
         (format != KnowledgeFormat::numbers || (is_number(fields[1]) && is_number(fields[2])));
}

// Of user, item, tag, time: item and tag, as it is compared.
bool read_tag(FieldSplitter& commas, std::string_view line, Fields& fields, std::string& tag) {
  if (!commas.split(line, fields) || fields.size() != 4) return false;
  tag.clear();
  for (const char c : trimmed(fields[2]))
    tag.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  return id_fault(fields[1]) == nullptr && id_fault(tag) == nullptr;
}

class Adder {
 public:
  Adder(const ListOptions& options, FeatureList& list) : options_(options), list_(list) {}

  void add_row(const Fields& fields, KnowledgeFormat format) {
    const std::uint32_t item = list_.items.intern(fields[0]);
    if (format == KnowledgeFormat::lists) {
      const std::uint32_t predicate = list_.intern_predicate("feature");
      for (std::size_t n = 1; n < fields.size(); ++n)
        list_.facts.push_back({item, predicate, object_number(fields[n])});
      return;
    }
    if (format == KnowledgeFormat::named) {
      list_.facts.push_back({item, list_.intern_predicate(fields[1]), list_.objects.intern(fields[2])});
      return;
    }
    const std::size_t at = options_.object_second ? 2 : 1;
    list_.facts.push_back({item, predicate_number(fields[at]), object_number(fields[3 - at])});
  }

 private:
  std::uint32_t predicate_number(std::string_view number) {
    const auto name = options_.predicates.by_number.find(std::string(number));
    if (name == options_.predicates.by_number.end()) return list_.intern_predicate(number);
    return list_.intern_predicate(name->second.text, name->second.hops);
  }
  std::uint32_t object_number(std::string_view number) {
    if (options_.objects.by_number.empty()) return list_.objects.intern(number);
    const auto name = options_.objects.by_number.find(std::string(number));
    return list_.objects.intern(
        name == options_.objects.by_number.end() ? number : std::string_view(name->second.text));
  }

  const ListOptions& options_;
  FeatureList& list_;
};

std::optional<KnowledgeFormat> by_ending(std::string_view name) {
  if (name.ends_with(".zst")) name.remove_suffix(4);
  if (name.ends_with(".nt")) return KnowledgeFormat::ntriples;
  if (name.ends_with(".ttl")) return KnowledgeFormat::turtle;
  return std::nullopt;
}

// By a line that is no remark, if it is one of RDF's.
std::optional<KnowledgeFormat> by_marks(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view word : {"@prefix", "@base", "PREFIX", "BASE", "prefix", "base"})
    if (line.starts_with(word) && line.find('<') != std::string_view::npos) return KnowledgeFormat::turtle;
  if ((line.starts_with('<') || line.starts_with("_:")) && line.ends_with('.'))
    return KnowledgeFormat::ntriples;
  return std::nullopt;
}

}  // namespace

Result<KnowledgeFormat> detect_knowledge(const std::string& name, std::string_view head) {
  constexpr std::size_t sample = 64;
  if (const auto format = by_ending(name)) return *format;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  LineReader lines(head);
  FieldSplitter tabs("\t"), blanks(" ");
  Fields fields;
  std::string_view line;
  std::size_t seen = 0, threes = 0, numbered = 0;
  while (seen < sample && lines.next(line)) {
    if (seen == 0 && line == named_header) return KnowledgeFormat::named;
    if (seen == 0 && line == tags_header) return KnowledgeFormat::tags;
    if (seen == 0 && trimmed(line).starts_with('#')) continue;
    if (const auto format = by_marks(line); seen == 0 && format) return *format;
    (void)tabs.split(line, fields);
    if (fields.size() == 1) (void)blanks.split(line, fields);
    ++seen;
    threes += fields.size() == 3 ? 1 : 0;
    numbered += all_numbers({fields.begin() + 1, fields.end()}) ? 1 : 0;
  }
  if (seen == 0) return fail(Code::bad_input, name + ": the file is empty: is it the right one for --kg?");
  if (threes * 2 > seen) return numbered * 2 > seen ? KnowledgeFormat::numbers : KnowledgeFormat::triples_tsv;
  if (numbered * 2 > seen) return KnowledgeFormat::lists;
  return fail(Code::bad_input,
              name +
                  ": neither triples (subject, predicate, object, parted by tabs; .nt; .ttl) nor a list of "
                  "item features: see docs/knowledge.md for what can be read");
}

const char* to_string(KnowledgeFormat format) {
  switch (format) {
    case KnowledgeFormat::named:
      return "item features by name";
    case KnowledgeFormat::numbers:
      return "item features by number";
    case KnowledgeFormat::lists:
      return "lists of feature ids";
    case KnowledgeFormat::tags:
      return "tags of items";
    case KnowledgeFormat::triples_tsv:
      return "triples (TSV)";
    case KnowledgeFormat::ntriples:
      return "N-Triples";
    case KnowledgeFormat::turtle:
      return "Turtle";
  }
  return "";
}

bool is_graph(KnowledgeFormat format) {
  return format == KnowledgeFormat::triples_tsv || format == KnowledgeFormat::ntriples ||
         format == KnowledgeFormat::turtle;
}

Result<NumberNames> read_number_names(NamedSource source) {
  NumberNames names;
  LineStream lines(std::move(source));
  FieldSplitter splitter("\t");
  Fields fields;
  std::string_view line;
  while (true) {
    SOTTO_TRY(const bool more, lines.next(line));
    if (!more) return names;
    (void)splitter.split(line, fields);
    const bool number_first = fields.size() == 2 && is_number(fields[0]);
    const bool chain_first = fields.size() == 3 && is_number(fields[1]) && is_number(fields[2]);
    if (!number_first && !chain_first)
      return error_at(lines.name(), lines.number(),
                      "a name is \"name<TAB>number<TAB>hops\" or \"number<TAB>name\": correct the line");
    const std::string_view name = fields[number_first ? 1 : 0], number = fields[number_first ? 0 : 1];
    const std::string_view hops = number_first ? "0" : fields[2];
    if (id_fault(name) || !is_utf8(name) || hops.size() > 2 || (chain_first && hops == "0"))
      return error_at(lines.name(), lines.number(),
                      "the name is no text, or the hops are not from 1 to 99: correct the line");
    names.by_number[std::string(number)] = {std::string(name),
                                            static_cast<std::uint8_t>(std::stoi(std::string(hops)))};
  }
}

Status read_features(NamedSource source, KnowledgeFormat format, const ListOptions& options,
                     BrokenLines& broken, FeatureList& list) {
  LineStream lines(std::move(source));
  FieldSplitter tabs("\t"), blanks(" "), commas(",");
  Fields fields;
  std::string tag;
  std::string_view line;
  Adder adder(options, list);
  while (true) {
    SOTTO_TRY(const bool more, lines.next(line));
    if (!more) return Done{};
    if (lines.number() == 1 && (line == named_header || line == tags_header)) continue;
    if (format == KnowledgeFormat::tags && is_utf8(line) && read_tag(commas, line, fields, tag)) {
      list.facts.push_back(
          {list.items.intern(fields[1]), list.intern_predicate("tag"), list.objects.intern(tag)});
      continue;
    }
    if (format == KnowledgeFormat::tags) {
      SOTTO_TRY_DONE(broken.add(lines.name(), lines.number(), shape_of(format)));
      continue;
    }
    (void)tabs.split(line, fields);
    if (fields.size() == 1 && format != KnowledgeFormat::named) (void)blanks.split(line, fields);
    if (is_sound(fields, format) && is_utf8(line)) {
      adder.add_row(fields, format);
      continue;
    }
    SOTTO_TRY_DONE(broken.add(lines.name(), lines.number(), shape_of(format)));
  }
}

Status write_features(const FeatureList& list, const ByteSink& sink) {
  std::string text(named_header);
  text += '\n';
  for (const FeatureFact& fact : list.facts) {
    text += list.items.name(fact.item);
    text += '\t';
    text += list.predicates.name(fact.predicate);
    text += '\t';
    text += list.objects.name(fact.object);
    text += '\n';
    if (text.size() < piece) continue;
    SOTTO_TRY_DONE(sink(std::as_bytes(std::span(text))));
    text.clear();
  }
  return sink(std::as_bytes(std::span(text)));
}

std::string features_text(const FeatureList& list) {
  std::string text;
  const Status written = write_features(list, [&](std::span<const std::byte> bytes) -> Status {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Done{};
  });
  SOTTO_ASSERT(written.ok(), "a string takes what it is given");
  return text;
}

}  // namespace sotto::data
