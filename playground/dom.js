// Elements by name, attributes and children; texts are always texts, never HTML.

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

const el = (name, attributes, ...children) => made(document.createElement(name), attributes, children);
const svgEl = (name, attributes, ...children) =>
  made(document.createElementNS(byId("tree").namespaceURI, name), attributes, children);
const byId = id => document.getElementById(id);
const fill = (id, ...children) => byId(id).replaceChildren(...children.flat().filter(child => child !== null));

// Let an SVG hold exactly these parts. Those that were there before under the same key stay, so that they can move and
// fade; `parts` are [key, name, attributes, text].
function keep(svg, parts) {
  const old = new Map([...svg.children].filter(child => child.dataset.key).map(child => [child.dataset.key, child]));
  const wanted = parts.map(([key, name, attributes, text]) => {
    const found = old.get(key);
    const element = found?.tagName === name ? found : svgEl(name, {"data-key": key, class: "new"});
    for (const [attribute, value] of Object.entries(attributes)) {
      const full = attribute === "class" && !found ? `${value} new` : String(value);
      if (element.getAttribute(attribute) !== full) element.setAttribute(attribute, full);
    }
    if (text !== undefined && element.textContent !== text) element.textContent = text;
    return element;
  });
  svg.replaceChildren(...wanted);
}

const MINUS = "−";
const fixed = (value, digits = 3) => value.toFixed(digits).replace("-", MINUS);
// A bound is rounded up: rounded to the nearest it would be a claim that was not proven.
const upTo = value => value === null ? "–" : fixed(Math.ceil(value * 1000 - 1e-6) / 1000);
const percent = share => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
const counted = (count, word, more = `${word}s`) => `${count.toLocaleString("en")} ${count === 1 ? word : more}`;
