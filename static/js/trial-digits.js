// Numbers as people type them, read as the server reads them (measures/number_answers.py).
function plainDigits(text) {
  const isDigit = (code) => /\p{Nd}/u.test(String.fromCodePoint(code));
  return text.trim().replace(/\p{Nd}/gu, (letter) => {
    const code = letter.codePointAt(0);
    let zero = code; // the digits of a script follow each other
    while (isDigit(zero - 1)) zero -= 1;
    return (code - zero) % 10;
  });
}
const typedNumber = (text) => Number(plainDigits(text).replace(/[,٫،，．]/, ".") || NaN);
