#include "data/kg/item_links.h"

#include "data/text_source.h"

namespace sotto::data {

Status read_item_links(NamedSource source, BrokenLines& broken, ItemLinks& links) {
  LineStream lines(std::move(source));
  FieldSplitter splitter("\t");
  std::vector<std::string_view> fields;
  std::string_view line;
  while (true) {
    SOTTO_TRY(const bool more, lines.next(line));
    if (!more) return Done{};
    (void)splitter.split(line, fields);
    const bool header = lines.number() == 1 && fields.size() >= 2 && fields.front() == "item";
    if (header) continue;
    if (fields.size() < 2 || !is_utf8(line) || id_fault(fields.front()) || id_fault(fields.back())) {
      SOTTO_TRY_DONE(broken.add(lines.name(), lines.number(), "a link is an item, a tab and its entity"));
      continue;
    }
    std::string_view entity = fields.back();
    if (entity.size() > 2 && entity.front() == '<' && entity.back() == '>')
      entity = entity.substr(1, entity.size() - 2);
    links.add(fields.front(), entity);
  }
}

ItemLinks links_to_themselves(const IdTable& items) {
  ItemLinks links;
  for (std::uint32_t item = 0; item < items.size(); ++item) links.add(items.name(item), items.name(item));
  return links;
}

}  // namespace sotto::data
