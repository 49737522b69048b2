// Finds sections in search.json: prefixes, synonyms, other endings and misspelled words.
// Layering: knows no document, so that it runs anywhere.
'use strict';

const makeSearch = (index) => {  // eslint-disable-line no-unused-vars
  const terms = Object.keys(index.terms).sort();  // objects list numbers such as "404" first
  const common = new Set(index.common);
  const SYNONYM = 0.6;  // of the score of the word itself
  const ENDING = 0.85;
  const OF_REST = 0.4;  // of the best score on the page, for words that the section itself lacks
  const OF_PAGE_MAX = 3;
  const FEW = 5;  // results, after which entries with fewer of the words follow
  const NOT_FOR_USERS = new Set(['design', 'changes', 'measured']);

  const wordsOf = (text) => text.toLowerCase().replaceAll("'", '')
    .match(/[\p{L}\p{N}]+(?:[_\-/.][\p{L}\p{N}]+)*/gu) || [];

  // The position of the first term that is not less than this one.
  const place = (term) => {
    let low = 0;
    let high = terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (terms[middle] < term) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const keepBest = (found, entry, score) => found.set(entry, Math.max(found.get(entry) || 0, score));

  const withTerm = (term, factor, found) => {
    const scores = Object.hasOwn(index.terms, term) ? index.terms[term] : [];
    for (let each = 0; each < scores.length; each += 2) keepBest(found, scores[each], scores[each + 1] * factor);
  };

  // Other grammatical forms: "logs" also finds "log", "logged" and "logging".
  const formsOf = (word) => {
    const stem = word.replace(/(?:ations?|ions?|ies|ing|ed|es|e|s|y)$/, '');
    if (stem.length < 3) return [word + 's'];
    const stems = stem.at(-1) === stem.at(-2) ? [stem, stem.slice(0, -1)] : [stem, stem + stem.at(-1)];
    return stems.flatMap((each) => ['', 's', 'es', 'e', 'ed', 'ing', 'y', 'ies', 'ion', 'ation', 'ate'].map((ending) => each + ending));
  };

  // {entry: score} of one word.
  const ofWord = (word) => {
    const found = new Map();
    for (let at = place(word); at < terms.length && terms[at].startsWith(word); ++at) {
      withTerm(terms[at], terms[at] === word ? 1 : 0.6 * word.length / terms[at].length, found);
    }
    for (const form of formsOf(word)) if (form !== word) withTerm(form, ENDING, found);
    return found;
  };

  // {entry: score} of entries that have all of these.
  const joined = (all) => {
    const [first, ...others] = all;
    const found = new Map(first || []);
    for (const next of others) {
      for (const [entry, score] of found) {
        if (next.has(entry)) found.set(entry, score + next.get(entry));
        else found.delete(entry);
      }
    }
    return found;
  };

  const ofPhrase = (words) => joined(words.filter((word) => !common.has(word)).map(ofWord));

  // The parts of a query: known phrases, or else single words; each with its entries.
  const partsOf = (words) => {
    const parts = [];
    for (let at = 0; at < words.length;) {
      let length = Math.min(4, words.length - at);
      const phrase = () => words.slice(at, at + length).join(' ');
      while (length > 1 && !Object.hasOwn(index.synonyms, phrase())) --length;
      if (length > 1 || !common.has(words[at])) {
        const found = ofPhrase(words.slice(at, at + length));
        const others = Object.hasOwn(index.synonyms, phrase()) ? index.synonyms[phrase()] : [];
        for (const other of others) {
          const alternative = wordsOf(other);
          for (const [entry, score] of ofPhrase(alternative)) keepBest(found, entry, SYNONYM * score);
        }
        parts.push({text: phrase(), found});
      }
      at += length;
    }
    return parts;
  };

  // How many letters differ, or more than `most`. Swapped neighbors are one difference.
  const distance = (left, right, most) => {
    if (Math.abs(left.length - right.length) > most) return most + 1;
    let before = [];
    let last = Array.from({length: right.length + 1}, (_, at) => at);
    for (let i = 1; i <= left.length; ++i) {
      const row = [i];
      for (let j = 1; j <= right.length; ++j) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left[i - 1] === right[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
          row[j] = Math.min(row[j], before[j - 2] + 1);
        }
      }
      if (Math.min(...row) > most) return most + 1;
      before = last;
      last = row;
    }
    return last[right.length];
  };

  // The known word that is nearest to a misspelled one, or null.
  const nearest = (word) => {
    const most = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
    let best = null;
    const consider = (term, weight) => {
      const apart = term.includes('_') ? most + 1 : distance(word, term, most);
      if (apart <= most && (!best || apart < best.apart || (apart === best.apart && weight > best.weight))) {
        best = {term, apart, weight};
      }
    };
    for (const term of terms) consider(term, index.terms[term].reduce((sum, each, at) => at % 2 ? sum + each : sum, 0));
    for (const word of Object.keys(index.synonyms).join(' ').split(' ')) consider(word, 0);
    return best && best.term;
  };

  const ranked = (found) => {
    const sorted = [...found].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const shown = new Map();  // one page must not hide the others
    return sorted.filter(([entry]) => {
      const page = index.entries[entry][0];
      shown.set(page, (shown.get(page) || 0) + 1);
      return shown.get(page) <= OF_PAGE_MAX;
    }).map(([entry]) => entry);
  };

  const bestOfPages = (found) => {
    const best = new Map();
    for (const [entry, score] of found) keepBest(best, index.entries[entry][0], score);
    return best;
  };

  // [{entry: score}]: first of the pages that have all of the parts, then all but one, and so on.
  // Rare words count more. Pages that are not for users come one step later.
  const byParts = (parts) => {
    const weighted = parts.map(({found}) => {
      const weight = Math.log(2 + index.entries.length / (1 + found.size));
      return {found, pages: bestOfPages(found), weight};
    });
    const steps = parts.map(() => new Map());
    for (const entry of new Set(weighted.flatMap(({found}) => [...found.keys()]))) {
      const page = index.entries[entry][0];
      const missing = weighted.filter((part) => !part.pages.has(page)).length;
      const late = NOT_FOR_USERS.has(index.pages[page][2]) ? 1 : 0;
      steps[Math.min(missing + late, parts.length - 1)].set(entry, weighted.reduce((sum, part) => sum
        + part.weight * Math.max(part.found.get(entry) || 0, OF_REST * (part.pages.get(page) || 0)), 0));
    }
    return steps;
  };

  // A name such as "App" or "rate_limit" finds its declaration first.
  const declarations = (text) => /[A-Z_]/.test(text) && !text.includes(' ')
    ? [...index.entries.keys()].filter((entry) => index.entries[entry][2] === text && index.pages[index.entries[entry][0]][2] === 'header')
    : [];

  // entries    the numbers of the entries, the best first
  // corrected  the query with misspelled words replaced, or ''
  // isPartial  whether no page has all words
  return (text) => {
    let words = wordsOf(text);
    let parts = partsOf(words);
    let corrected = '';
    if (parts.some((part) => !part.found.size)) {
      const better = words.map((word) => common.has(word) || partsOf([word])[0].found.size ? word : nearest(word) || word);
      if (better.join(' ') !== words.join(' ')) {
        words = better;
        corrected = words.join(' ');
        parts = partsOf(words);
      }
    }
    const steps = byParts(parts);
    const first = steps.findIndex((found) => found.size);
    if (first < 0) return {entries: [], words, corrected, isPartial: false};
    const entries = steps.flatMap((found, at) => at === first || (at === first + 1 && steps[first].size < FEW) ? ranked(found) : []);
    const named = declarations(text.trim());
    return {entries: [...named, ...entries.filter((entry) => !named.includes(entry))], words, corrected, isPartial: first > 0};
  };
};

if (typeof module !== 'undefined') module.exports = {makeSearch};
