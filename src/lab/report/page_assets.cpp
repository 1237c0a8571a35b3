#include "lab/report/page_assets.h"

#include "lab/report/chart.h"

namespace sotto::lab {

namespace {

constexpr std::string_view page_rules = R"(
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);color-scheme:light dark}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
body{margin:0 auto;max-width:1000px;padding:0 20px 60px;line-height:1.5;
font:16px/1.5 system-ui,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif}
header{display:flex;gap:16px;align-items:baseline;justify-content:space-between;border-bottom:1px solid var(--grid)}
h1{font-size:1.7rem;line-height:1.25;overflow-wrap:anywhere}
h2{margin:2.4rem 0 .6rem;font-size:1.3rem}
h3{margin:1.6rem 0 .3rem;font-size:1.05rem}
nav h2{font-size:1rem;margin:1.4rem 0 .2rem}
nav ol{margin:0;padding-left:1.6rem;columns:2 18rem}
a{color:var(--p0)}
p,li,figcaption{overflow-wrap:anywhere}
.summary{max-width:75ch}
figure{margin:1.6rem 0 2.4rem}
figcaption{color:var(--soft);font-size:.92rem;max-width:85ch}
.wide{overflow-x:auto}
.wide .chart{width:100%;min-width:600px;height:auto}
table{border-collapse:collapse;margin:.8rem 0 1.6rem;font-size:.92rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.4rem}
th,td{padding:.32rem .7rem;border-bottom:1px solid var(--grid);text-align:left;vertical-align:top;white-space:nowrap}
thead th{border-bottom:2px solid var(--soft)}
.number{text-align:right}
td:not(.number){white-space:normal}
td small{display:block;color:var(--soft);font-size:.8rem}
.best span{font-weight:700}
.second span{text-decoration:underline;text-underline-offset:3px}
th button{all:unset;cursor:pointer;font-weight:600}
th button:focus-visible,.key:focus-visible{outline:2px solid var(--p0);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" \25B2"}
th[aria-sort=descending] button::after{content:" \25BC"}
#theme{font:inherit;font-size:.85rem;color:var(--ink);background:none;border:1px solid var(--soft);border-radius:6px;
padding:.15rem .6rem;cursor:pointer;white-space:nowrap}
#tip{position:fixed;z-index:9;max-width:24rem;padding:.4rem .6rem;border:1px solid var(--soft);border-radius:6px;
background:var(--paper);color:var(--ink);font-size:.85rem;white-space:pre-line;pointer-events:none;
box-shadow:0 2px 8px #0004}
#tip[hidden]{display:none}
.gap{margin:1rem 0;padding:.5rem .9rem;border-left:4px solid var(--p4);background:color-mix(in srgb,var(--p4) 9%,transparent)}
.gap p{margin:.2rem 0}
pre{overflow-x:auto;padding:.6rem .8rem;border:1px solid var(--grid);border-radius:6px;font-size:.82rem;line-height:1.4}
details{margin:.5rem 0}
summary{cursor:pointer}
.key{cursor:pointer}
.key.off{opacity:.35}
.series.off,.note.off{display:none}
.mark:hover{stroke:var(--ink);stroke-width:2}
.spot{fill:var(--ink);stroke:var(--paper);pointer-events:none}
@media print{#theme,nav,#tip{display:none}body{max-width:none}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}
.wide{overflow:visible}.wide .chart{min-width:0}pre{white-space:pre-wrap}}
)";

constexpr std::string_view script = R"js(
'use strict';
(function () {
  var root = document.documentElement;
  var tip = document.getElementById('tip');
  var all = function (selector, within) { return Array.from((within || document).querySelectorAll(selector)); };

  // Light, dark, or what the system says. Files from disk may have no storage: then it is not remembered.
  var button = document.getElementById('theme');
  var themes = ['auto', 'light', 'dark'];
  var theme = 'auto';
  try { theme = localStorage.getItem('sotto-theme') || theme; } catch (refused) { theme = 'auto'; }
  if (themes.indexOf(theme) < 0) theme = 'auto';
  function dress() {
    if (theme === 'auto') root.removeAttribute('data-theme'); else root.setAttribute('data-theme', theme);
    button.textContent = 'Theme: ' + theme;
  }
  button.addEventListener('click', function () {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem('sotto-theme', theme); } catch (refused) { /* for this visit only */ }
    dress();
  });
  button.hidden = false;
  dress();

  // What <title>s say moves into our own tooltip, which comes at once.
  all('.chart title').forEach(function (title) {
    var owner = title.parentNode;
    owner.setAttribute('data-says', title.textContent);
    owner.setAttribute('aria-label', title.textContent);
    title.remove();
  });
  function say(text, event) {
    tip.textContent = text;
    tip.hidden = false;
    var left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    var top = event.clientY + 16;
    if (top + tip.offsetHeight > window.innerHeight) top = event.clientY - tip.offsetHeight - 12;
    tip.style.left = Math.max(4, left) + 'px';
    tip.style.top = Math.max(4, top) + 'px';
  }

  // Lines without marks: the corner nearest to the pointer speaks.
  function corners(line) {
    if (!line.corners) {
      var places = line.getAttribute('d').slice(1).split('L');
      var values = line.getAttribute('data-xy').split(' ');
      line.corners = places.map(function (place, index) {
        var at = place.split(' ').map(Number);
        var value = values[index].split(',').map(Number);
        return { x: at[0], y: at[1], vx: value[0], vy: value[1] };
      });
    }
    return line.corners;
  }
  function nearest(chart, event) {
    var at = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    var best = null;
    var least = 900;
    all('.series:not(.off) .line[data-xy]', chart).forEach(function (line) {
      corners(line).forEach(function (corner) {
        var apart = (corner.x - at.x) * (corner.x - at.x) + (corner.y - at.y) * (corner.y - at.y);
        if (apart < least) { least = apart; best = { corner: corner, name: line.parentNode.dataset.name }; }
      });
    });
    return best;
  }
  function mark_spot(chart, corner) {
    var spot = chart.querySelector('.spot');
    if (!corner) { if (spot) spot.remove(); return; }
    if (!spot) {
      spot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
      spot.setAttribute('class', 'spot');
      spot.setAttribute('r', '4.5');
      chart.appendChild(spot);
    }
    spot.setAttribute('cx', corner.x);
    spot.setAttribute('cy', corner.y);
  }
  function axis_label(chart, which) { return chart.querySelector('.axis.' + which + ' .label').textContent; }
  all('.chart').forEach(function (chart) {
    chart.addEventListener('pointermove', function (event) {
      var found = nearest(chart, event);
      mark_spot(chart, found && found.corner);
      var owner = event.target.closest('[data-says]');
      if (found) {
        say(found.name + '\n' + axis_label(chart, 'x') + ': ' + found.corner.vx.toLocaleString('en') + '\n' +
            axis_label(chart, 'y') + ': ' + found.corner.vy.toLocaleString('en'), event);
      } else if (owner) {
        say(owner.getAttribute('data-says'), event);
      } else {
        tip.hidden = true;
      }
    });
    chart.addEventListener('pointerleave', function () { tip.hidden = true; mark_spot(chart, null); });
  });

  // A click on a legend's key hides its series, or brings it back.
  all('.key').forEach(function (key) {
    function turn() {
      var off = key.classList.toggle('off');
      key.setAttribute('aria-pressed', String(!off));
      all('.series,.note', key.closest('.chart')).forEach(function (part) {
        if (part.dataset.series === key.dataset.series) part.classList.toggle('off', off);
      });
    }
    key.addEventListener('click', turn);
    key.addEventListener('keydown', function (event) {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); turn(); }
    });
  });

  // A click on a column's title sorts by it; a second click turns the order. What has no value stays last.
  function sort_by(table, head) {
    var column = Array.from(head.parentNode.children).indexOf(head);
    var number = head.classList.contains('number');
    var first = number ? 'descending' : 'ascending';
    var order = head.getAttribute('aria-sort') === first ? (number ? 'ascending' : 'descending') : first;
    all('th', table).forEach(function (other) { other.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', order);
    var sign = order === 'ascending' ? 1 : -1;
    var body = table.tBodies[0];
    Array.from(body.rows).map(function (row) {
      var cell = row.cells[column];
      return { row: row, value: number ? parseFloat(cell.dataset.v) : cell.textContent };
    }).sort(function (a, b) {
      if (!number) return sign * a.value.localeCompare(b.value, 'en', { numeric: true });
      if (isNaN(a.value) || isNaN(b.value)) return isNaN(a.value) - isNaN(b.value);
      return sign * (a.value - b.value);
    }).forEach(function (entry) { body.appendChild(entry.row); });
  }
  all('table').forEach(function (table) {
    all('thead th', table).forEach(function (head) {
      head.querySelector('button').addEventListener('click', function () { sort_by(table, head); });
    });
  });

  root.setAttribute('data-ready', '1');
})();
)js";

}  // namespace

std::string page_css() { return chart_css(Dress::in_page) + std::string(page_rules); }

const std::string_view page_script = script;

}  // namespace sotto::lab
