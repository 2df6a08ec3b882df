declare module '*.json?core' { const texts: Record<string, string>; export default texts }
declare module '*.json?rest' { const texts: Record<string, string>; export default texts }
