// What the visitor chose. Theme and language are cookies, so that the server's shell already has them; the rest stays here.
import { signal } from './signal';

const year = 31536000;
export const setCookie = (name: string, value: string): void => {
  document.cookie = `${name}=${value}; path=/; max-age=${year}; samesite=strict`;
};
export const cookie = (name: string): string => new RegExp(`(?:^|; )${name}=(\\w+)`).exec(document.cookie)?.[1] ?? '';

export const isDark = (): boolean => (document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
export function toggleTheme(): void {
  const theme = isDark() ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
  setCookie('theme', theme);
}

export type Choice = 'keys' | 'suits' | 'letters' | 'chances';
const kept = (name: Choice, usual: string): string => localStorage.getItem(name) ?? usual;
export const settings = signal({ keys: kept('keys', 'on'), suits: kept('suits', 'four'), letters: kept('letters', 'off'), chances: kept('chances', 'on') });
export function choose(name: Choice, value: string): void {
  localStorage.setItem(name, value);
  settings.set({ ...settings.get(), [name]: value });
  document.documentElement.dataset[name] = value;
}
export function applySettings(): void {
  document.documentElement.dataset.theme = cookie('theme'); // the server's shell has it; one that was kept may have another
  for (const [name, value] of Object.entries(settings.get())) document.documentElement.dataset[name] = value;
}
