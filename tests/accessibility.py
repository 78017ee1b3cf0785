"""Asks axe about a page. Contrast is most of its work, so of elements that look alike only the first is asked for it.

Elements look alike if they and all elements around them have the same tag, classes, own style, colours, font and
position. `AXE=whole` (`make soak PART=axe`) asks every element, and all rules each time.
"""

import os

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

Finding = tuple[str, str]  # a rule, and the first element that breaks it
IS_WHOLE = os.environ.get("AXE") == "whole"

ASK = """async ({ isWhole, onlyContrast, known }) => {
  const STYLES = ['color', 'backgroundColor', 'backgroundImage', 'opacity', 'fontSize', 'fontWeight', 'position',
    'display', 'visibility', 'textShadow'];
  const MARK = 'data-asked-for-contrast';
  const looks = new Map();
  const look = (element) => {
    if (!element) return '';
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      const own = [element.tagName, element.getAttribute('class'), element.getAttribute('style')];
      looks.set(element, digest([look(element.parentElement), ...own, ...STYLES.map((name) => style[name])].join()));
    }
    return looks.get(element);
  };
  const digest = (text) => {
    let high = 0xdeadbeef, low = 0x41c6ce57;
    for (let place = 0; place < text.length; place++) {
      high = Math.imul(high ^ text.charCodeAt(place), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(place), 1597334677);
    }
    return `${high >>> 0} ${low >>> 0}`;
  };
  const words = (element) =>
    [...element.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE).map((one) => one.data).join('').trim();
  const isWritten = (element) =>  // axe leaves single letters to people
    element.matches('input, select, textarea, button') || words(element).length > 1;
  const told = new Set(known), fresh = [], asked = [];
  for (const element of isWhole ? [] : document.body.querySelectorAll('*')) {
    if (!isWritten(element) || !element.checkVisibility() || told.has(look(element))) continue;
    told.add(look(element));
    fresh.push(look(element));
    asked.push(element);
  }
  if (onlyContrast && !asked.length) return [[], []];
  asked.forEach((element) => element.setAttribute(MARK, ''));
  axe.configure({ rules: [{ id: 'color-contrast', selector: isWhole ? '*' : `[${MARK}]` }] });
  const rules = onlyContrast ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {};
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...rules });
  asked.forEach((element) => element.removeAttribute(MARK));
  return [violations.map((one) => [one.id, one.nodes[0].html]), fresh];
}"""


def bring_axe(page: Page) -> None:
    """Load axe with each page that is opened from now on: to send it to the loaded page costs twice as much."""
    page.add_init_script(AXE_SCRIPT)


def findings(page: Page, known: set[str] | None = None, *, only_contrast: bool = False) -> list[Finding]:
    """What axe finds on this page. `known` holds the looks of elements that were asked before; new ones are added.

    `only_contrast` is for a page that was asked all rules in another theme or width.
    """
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
    page.evaluate("document.getAnimations().forEach(each => each instanceof CSSTransition && each.finish())")
    asked = {"isWhole": IS_WHOLE, "onlyContrast": only_contrast and not IS_WHOLE, "known": sorted(known or ())}
    found, fresh = page.evaluate(ASK, asked)
    if known is not None:
        known.update(fresh)
    return [(rule, html) for rule, html in found]
