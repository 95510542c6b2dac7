import { StreamLanguage, type StreamParser, type StringStream } from "@codemirror/language";

interface State {
  action: boolean; // between {{ and }}
  comment: boolean; // between {{/* and */}}
  tag: boolean; // between < and >
  quote: string; // that ends the value of an attribute
}

const keywords = /^(?:if|else|end|range|with|define|template|block|break|continue)\b/;

function action(s: StringStream, state: State): string | null {
  if (s.match(/^-?\}\}/)) {
    state.action = false;
    return "brace";
  }
  if (s.eatSpace()) return null;
  if (s.match(/^"(?:[^"\\]|\\.)*"?/) || s.match(/^`[^`]*`?/)) return "string";
  if (s.match(keywords)) return "keyword";
  if (s.match(/^\.\w+/) || s.match(/^\./)) return "propertyName";
  if (s.match(/^\$\w*/) || s.match(/^[A-Za-z_]\w*/)) return "variableName";
  if (s.match(/^-?\d[\d.]*/)) return "number";
  s.next();
  return null;
}

function tag(s: StringStream, state: State): string | null {
  if (state.quote) {
    const end = state.quote === '"' ? /^[^"{]+/ : /^[^'{]+/;
    if (s.eat(state.quote)) state.quote = "";
    else if (!s.match(end)) s.next();
    return "string";
  }
  const quote = s.eat(/["']/);
  if (quote) {
    state.quote = quote;
    return "string";
  }
  if (s.match(/^[?/]?>/)) {
    state.tag = false;
    return "tagName";
  }
  if (s.match(/^[\w:.-]+/)) return "attributeName";
  s.next();
  return null;
}

const parser: StreamParser<State> = {
  name: "template",
  startState: () => ({ action: false, comment: false, tag: false, quote: "" }),
  token(s, state) {
    if (state.comment) {
      if (s.match(/^.*?\*\//)) state.comment = false;
      else s.skipToEnd();
      return "comment";
    }
    if (state.action) return action(s, state);
    if (s.match(/^\{\{-?\s*\/\*/)) {
      state.action = state.comment = true;
      return "comment";
    }
    if (s.match(/^\{\{-?/)) {
      state.action = true;
      return "brace";
    }
    if (state.tag) return tag(s, state);
    if (s.match(/^<!--.*?-->/)) return "comment";
    if (s.match(/^<[/?!]?[\w:.-]+/)) {
      state.tag = true;
      return "tagName";
    }
    s.next();
    s.match(/^[^<{]+/);
    return null;
  },
};

// templateLanguage colours the template language of site files: its actions in {{ }}, and markup
// around them.
export const templateLanguage = StreamLanguage.define(parser);
