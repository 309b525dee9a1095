// Makes elements. Data only ever becomes text: nothing here parses HTML.

type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Record<string, string | boolean | EventListener> = {},
    ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (typeof value === 'boolean') {
      element.toggleAttribute(name, value);
    } else {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(label: string, click: () => void,
                       attributes: Record<string, string | boolean> = {},
                       ...children: Child[]): HTMLButtonElement {
  return el('button', { type: 'button', click, ...attributes },
            ...(children.length > 0 ? children : [label]));
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`there is no element #${id}`);
  return element as T;
}

// A list of options, one of which is chosen.
export function choice(label: string, options: [string, string][],
                       value: string, change: (value: string) => void):
    HTMLLabelElement {
  const select = el('select', { 'aria-label': label,
                                change: () => change(select.value) },
                    ...options.map(([key, text]) =>
                      el('option', { value: key, selected: key === value },
                         text)));
  return el('label', { class: 'field' }, el('span', {}, label), select);
}

export function toggle(label: string, checked: boolean,
                       change: (on: boolean) => void): HTMLLabelElement {
  const box = el('input', {
    type: 'checkbox', checked, change: () => change(box.checked),
  });
  return el('label', { class: 'check' }, box, label);
}

// The shape that stands for a severity, with its name for screen readers.
export function severityMark(severity: string): HTMLElement {
  return el('span', { class: `mark ${severity}`, title: severity },
            el('span', { class: 'unseen' }, severity));
}
