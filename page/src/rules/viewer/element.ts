export function element<K extends keyof HTMLElementTagNameMap>(kind: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
}
