declare module '*.lines?core' { const lines: string; export default lines }
declare module '*.lines?local' { const lines: string; export default lines }
declare module '*.lines?rest' { const lines: string; export default lines }
declare module '*.lines?all' { const lines: string; export default lines }
