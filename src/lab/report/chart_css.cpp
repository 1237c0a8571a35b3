// The colours and rules of charts (chart.h). Hues after Okabe and Ito, darkened for white paper and
// brightened for a dark screen; the ramp is viridis without the end that would vanish in the background.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "lab/report/chart.h"

namespace sotto::lab {

namespace {

struct ChartColours {
  std::string_view ground;  // paper, ink, secondary text, grid
  std::array<std::string_view, 8> hues;
  std::array<std::string_view, 11> ramp;
};

constexpr ChartColours light{
    "--paper:#fff;--ink:#1a1c1f;--soft:#565b63;--grid:#e3e5e8;",
    {"#0072b2", "#d55e00", "#008f68", "#c2508f", "#a87700", "#2f8fcb", "#5d3a9b", "#4d4d4d"},
    {"#440154", "#461d6d", "#44377f", "#3c4f8a", "#33648d", "#2a788e", "#238c8c", "#249f86", "#2eb17c",
     "#51c369", "#7ed14e"}};

constexpr ChartColours dark{
    "--paper:#15181c;--ink:#eceef1;--soft:#a9b0b9;--grid:#2d323a;",
    {"#4aa8ff", "#ff8a3d", "#2fcf9f", "#f29ccc", "#f0c64a", "#a5dbf5", "#b79cf0", "#c9cdd2"},
    {"#355f8c", "#2d718e", "#26828d", "#22938b", "#25a484", "#33b37a", "#51c369", "#77cf52", "#a4da36",
     "#d0e12b", "#fde725"}};

constexpr std::string_view rules = R"(
.chart{display:block;font:12px system-ui,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif}
.chart text{fill:var(--ink)}
.chart .sheet{fill:var(--paper)}
.chart .title{font-size:15px;font-weight:600}
.chart .tick text{fill:var(--soft);font-variant-numeric:tabular-nums}
.chart .note{font-size:11px;fill:var(--soft)}
.chart .grid{stroke:var(--grid);fill:none}
.chart .rule{stroke:var(--soft);fill:none}
.chart .line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
.chart .line[data-xy]{stroke-width:1.5}
.chart .mark,.chart .dot{fill:var(--c);stroke:var(--paper);stroke-width:1}
.chart .word{stroke:none}
.chart .bar{fill:var(--c)}
.chart .band{fill:var(--c);fill-opacity:.18}
.chart .whisker{fill:none;stroke:var(--c);stroke-width:1.4}
.chart.bars .whisker{stroke:var(--ink)}
.chart .box{fill:var(--paper);stroke:var(--c);stroke-width:1.5}
.chart .median{stroke:var(--c);stroke-width:3}
.chart .d1{stroke-dasharray:7 4}
.chart .d2{stroke-dasharray:2 3}
.chart .d3{stroke-dasharray:9 3 2 3}
.chart .front{--c:var(--soft)}
.chart .front .line{stroke-width:1.5;stroke-dasharray:3 3}
.chart .hit{fill:transparent}
)";

std::string variables(const ChartColours& colours) {
  std::string text(colours.ground);
  for (std::size_t index = 0; index < colours.hues.size(); ++index)
    text += fmt::format("--p{}:{};", index, colours.hues[index]);
  for (std::size_t index = 0; index < colours.ramp.size(); ++index)
    text += fmt::format("--r{}:{};", index, colours.ramp[index]);
  return text;
}

// What is drawn in the colour of its class.
std::string in_colour(const std::string& name, std::string_view colour) {
  constexpr std::array filled{"mark", "dot", "bar", "band"}, drawn{"line", "whisker", "box", "median"};
  std::string css;
  for (const char* what : filled)
    css += fmt::format(".chart .{0} .{1},.chart .{0}.{1}{{fill:{2}}}", name, what, colour);
  for (const char* what : drawn)
    css += fmt::format(".chart .{0} .{1},.chart .{0}.{1}{{stroke:{2}}}", name, what, colour);
  return css + '\n';
}

// For a file of its own, which goes into papers and through programs that know no variables of CSS: colours
// as they are, on white paper.
std::string plain_css() {
  std::string css(rules);
  std::string_view ground = light.ground;  // "--paper:#fff;--ink:…;"
  while (!ground.empty()) {
    const std::size_t colon = ground.find(':'), end = ground.find(';');
    const std::string name = fmt::format("var({})", ground.substr(0, colon));
    const std::string colour(ground.substr(colon + 1, end - colon - 1));
    for (std::size_t at = css.find(name); at != std::string::npos; at = css.find(name))
      css.replace(at, name.size(), colour);
    ground.remove_prefix(end + 1);
  }
  for (std::size_t index = 0; index < light.hues.size(); ++index)
    css += in_colour(fmt::format("p{}", index), light.hues[index]);
  for (std::size_t index = 0; index < light.ramp.size(); ++index)
    css += in_colour(fmt::format("r{}", index), light.ramp[index]);
  return css + ".chart .front .line{stroke:#565b63}.chart.bars .whisker{stroke:#1a1c1f}\n";
}

}  // namespace

std::string chart_css(Dress dress) {
  if (dress == Dress::alone) return plain_css();
  // Dark only on a screen: paper is white whatever the reader's screen looks like.
  std::string css = fmt::format(
      "\n:root{{{0}}}\n@media screen and "
      "(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{1}}}}}\n"
      "@media screen{{:root[data-theme=dark]{{{1}}}}}\n",
      variables(light), variables(dark));
  for (std::size_t index = 0; index < light.hues.size(); ++index)
    css += fmt::format(".chart .p{0}{{--c:var(--p{0})}}", index);
  for (std::size_t index = 0; index < light.ramp.size(); ++index)
    css += fmt::format(".chart .r{0}{{--c:var(--r{0})}}", index);
  return css + std::string(rules);
}

}  // namespace sotto::lab
