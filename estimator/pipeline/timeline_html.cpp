// The page: data as JSON, a canvas, a table; no other file, no network, no clock.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/units.h"
#include "estimator/pipeline/timeline.h"

namespace forerun::pipeline {
namespace {

constexpr std::size_t kMostRows = 40;  // of the table of what is alive at the peak

constexpr std::string_view kStyle = R"css(
body{font:14px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1100px;padding:24px;color:#1c2128;background:#fff}
h1{font-size:20px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px}
p{margin:4px 0}.bad{color:#b42318;font-weight:600}
#plot{position:relative}canvas{width:100%;height:360px;display:block}
#tip{position:absolute;display:none;pointer-events:none;background:#1c2128;color:#fff;padding:8px 10px;border-radius:4px;font-size:12px;white-space:pre;z-index:2}
#legend span{display:inline-block;margin-right:16px}#legend i{display:inline-block;width:11px;height:11px;margin-right:5px;vertical-align:-1px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:3px 8px;border-bottom:1px solid #e4e7eb}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
)css";

constexpr std::string_view kScript = R"js(
const data=JSON.parse(document.getElementById('data').textContent);
const colours=['#3b6fb6','#d98032','#5a9e6f','#b04a5a','#7d6bb3','#8a8f98','#c9a227','#c8ccd2'];
const canvas=document.getElementById('canvas'),tip=document.getElementById('tip'),pen=canvas.getContext('2d');
const points=data.points,names=data.categories;
const end=points.length?points[points.length-1].end:1;
const top_=Math.max(1,...points.map(p=>Math.max(p.reserved,p.allocated)))*1.05;
const bytes=n=>{let u=['B','KiB','MiB','GiB','TiB'],i=0;while(n>=1024&&i<4){n/=1024;i++}return n.toFixed(i?2:0)+' '+u[i]};
const left=76,bottom=24;
let width=0,height=0,hovered=-1;
const x=t=>left+(width-left-8)*t/end,y=v=>height-bottom-(height-bottom-8)*v/top_;
function draw(){
  const scale=window.devicePixelRatio||1;width=canvas.clientWidth;height=canvas.clientHeight;
  canvas.width=width*scale;canvas.height=height*scale;pen.setTransform(scale,0,0,scale,0,0);pen.clearRect(0,0,width,height);
  for(const p of points){let sum=0;for(let c=0;c<names.length;c++){const v=p.bytes[c];if(v<=0)continue;
    pen.fillStyle=colours[c];pen.fillRect(x(p.begin),y(sum+v),Math.max(1,x(p.end)-x(p.begin)),y(sum)-y(sum+v));sum+=v}}
  pen.strokeStyle='#1c2128';pen.lineWidth=1.2;pen.beginPath();
  for(const p of points){pen.lineTo(x(p.begin),y(p.reserved));pen.lineTo(x(p.end),y(p.reserved))}pen.stroke();
  pen.font='12px system-ui,sans-serif';pen.fillStyle='#57606a';pen.strokeStyle='#d0d7de';
  for(let i=0;i<=4;i++){const v=top_*i/4;pen.fillText(bytes(v),4,y(v)+4)}
  let step=-1;for(const p of points)if(p.step!==step){step=p.step;pen.beginPath();pen.moveTo(x(p.begin),8);pen.lineTo(x(p.begin),height-bottom);pen.stroke();
    pen.fillText(step?'step '+step:'set-up',x(p.begin)+3,height-8)}
  if(hovered>=0){const p=points[hovered];pen.fillStyle='rgba(28,33,40,.25)';pen.fillRect(x(p.begin),8,Math.max(2,x(p.end)-x(p.begin)),height-bottom-8)}
}
function at(px){const t=(px-left)/(width-left-8)*end;let a=0,b=points.length-1;if(b<0)return-1;
  while(a<b){const m=(a+b)>>1;if(points[m].end<=t)a=m+1;else b=m}return a}
function words(p){return (p.step?'step '+p.step+', ':'')+p.phase+(p.op?'\n'+p.op:'')+'\nallocated '+bytes(p.allocated)+', reserved '+bytes(p.reserved)+'\n'+
  names.map((n,c)=>p.bytes[c]>0?'  '+n.replace('_',' ')+' '+bytes(p.bytes[c]):'').filter(s=>s).join('\n')}
canvas.addEventListener('mousemove',e=>{const box=canvas.getBoundingClientRect();hovered=at(e.clientX-box.left);if(hovered<0)return;
  tip.textContent=words(points[hovered]);tip.style.display='block';
  tip.style.left=Math.min(e.clientX-box.left+14,width-tip.offsetWidth-4)+'px';tip.style.top='8px';draw()});
canvas.addEventListener('mouseleave',()=>{hovered=-1;tip.style.display='none';draw()});
const legend=document.getElementById('legend');
names.forEach((n,c)=>{const s=document.createElement('span'),i=document.createElement('i');i.style.background=colours[c];s.append(i,n.replace('_',' '));legend.append(s)});
{const s=document.createElement('span');s.textContent='— reserved';legend.append(s)}
window.addEventListener('resize',draw);draw();document.body.dataset.drawn=points.length;
)js";

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '&')
      made += "&amp;";
    else if (c == '<')
      made += "&lt;";
    else if (c == '>')
      made += "&gt;";
    else if (c == '"')
      made += "&quot;";
    else
      made += c;
  }
  return made;
}

// No "</script>" can be in it, whatever a path is called.
std::string data_of(const Timeline& timeline) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const TimelinePoint& point : timeline.points) {
    points.push_back({{"begin", point.begin_event},
                      {"end", point.end_event},
                      {"step", point.step},
                      {"phase", name(point.phase)},
                      {"op", point.op < 0 ? "" : timeline.ops[static_cast<std::size_t>(point.op)]},
                      {"allocated", point.allocated_bytes},
                      {"reserved", point.reserved_bytes},
                      {"bytes", point.bytes}});
  }
  nlohmann::ordered_json categories = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < kCategories; ++i) categories.push_back(category_name(i));
  const nlohmann::ordered_json data = {{"categories", categories}, {"points", points}};
  std::string text = data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  for (std::size_t i = 0; (i = text.find('<', i)) != std::string::npos;)
    text.replace(i, 1, "\\u003c");
  return text;
}

std::string row(std::string_view what, std::string_view category, std::int64_t bytes) {
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
      escaped(what), escaped(category), with_thousands(bytes), format_bytes(bytes));
}

std::string table_of(const std::vector<Part>& parts) {
  std::string rows;
  std::int64_t others = 0, total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    total += parts[i].bytes;
    if (i < kMostRows)
      rows += row(parts[i].what, parts[i].category, parts[i].bytes);
    else
      others += parts[i].bytes;
  }
  if (others > 0) rows += row(fmt::format("{} more", parts.size() - kMostRows), "", others);
  return "<table><thead><tr><th>what</th><th>category</th><th class=\"n\">bytes</th><th "
         "class=\"n\"></th></tr></thead><tbody>\n" +
         rows + row("together", "", total) + "</tbody></table>\n";
}

std::string summary(const Timeline& timeline, const Estimate& estimate) {
  const MemoryEstimate& memory = estimate.memory;
  std::string text =
      fmt::format("<p{}>{}: peak allocated {}, reserved {}, and {} of CUDA context.</p>\n",
                  memory.fits ? "" : " class=\"bad\"", memory.fits ? "Fits" : "Does not fit",
                  format_bytes(memory.peak_allocated_bytes),
                  format_bytes(memory.peak_reserved_bytes), format_bytes(memory.context_bytes));
  if (!timeline.on_card) text += "<p>Shown as if the card had no end.</p>\n";
  for (const std::string& what : estimate.unmodelled)
    text += fmt::format("<p>Not in the figures: {}</p>\n", escaped(what));
  return text;
}

}  // namespace

std::string to_html(const Timeline& timeline, const Estimate& estimate) {
  std::string parts;
  const MemoryEstimate& memory = estimate.memory;
  parts += row("parameters", "parameters", memory.parameters_bytes);
  parts += row("gradients", "gradients", memory.gradients_bytes);
  parts += row("optimizer state", "optimizer_state", memory.optimizer_state_bytes);
  parts += row("activations kept for backward", "activations", memory.activations_bytes);
  parts += row("workspaces", "workspaces", memory.workspaces_bytes);
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}<h2>Memory through the steps</h2>\n"
      "<p id=\"legend\"></p>\n<div id=\"plot\"><canvas id=\"canvas\"></canvas><div "
      "id=\"tip\"></div></div>\n<p>From left to right: allocations and frees, in their order; each "
      "operator at its highest.</p>\n<h2>What the model takes</h2>\n<table><tbody>\n{3}"
      "</tbody></table>\n",
      escaped(timeline.title), kStyle, summary(timeline, estimate), parts);
  if (!timeline.points.empty()) {
    const TimelinePoint& peak = timeline.points[timeline.peak];
    text += fmt::format(
        "<h2>Alive at the peak</h2>\n<p>Step {}, {}{}</p>\n{}", peak.step, name(peak.phase),
        peak.op < 0 ? "" : ", " + escaped(timeline.ops[static_cast<std::size_t>(peak.op)]),
        table_of(timeline.alive_at_peak));
  }
  return text + "<script type=\"application/json\" id=\"data\">" + data_of(timeline) +
         "</script>\n<script>" + std::string(kScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace forerun::pipeline
